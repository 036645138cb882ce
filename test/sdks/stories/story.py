"""Tells a server the story of test/support/sdks/sdk-story.ts, with whichever version of posthog this interpreter has.

    python story.py story|counted HOST TOKEN [COUNT]

`counted` sends COUNT numbered events. Prints, as JSON, the events that the SDK says it sent.
"""

import json
import sys
import uuid

from posthog import Posthog
from posthog.version import VERSION

OLD = VERSION.startswith("3.")
ANONYMOUS, USER, COMPANY, BATCH = "visitor-1", "user-1", "acme", 100

said = []


def heard(message):
    said.append({name: message[name] for name in ("uuid", "event", "distinct_id", "properties") if name in message})
    return message


class Teller:
    """The same calls for both generations of the SDK."""

    def __init__(self, host, token):
        # The older one gives every message back to its caller, the newer one shows it before it is queued.
        self.client = Posthog(token, host=host, **({} if OLD else {"before_send": heard}))

    def capture(self, distinct_id, event, **more):
        if not OLD:
            return self.client.capture(event, distinct_id=distinct_id, **more)
        return self.returned(self.client.capture(distinct_id, event, **more))

    def identify(self, distinct_id, properties):
        # The newer one has no `identify`: it is a `set`.
        if not OLD:
            return self.client.set(distinct_id=distinct_id, properties=properties)
        return self.returned(self.client.identify(distinct_id, properties))

    def set(self, distinct_id, properties):
        return self.returned(self.client.set(distinct_id=distinct_id, properties=properties))

    def set_once(self, distinct_id, properties):
        return self.returned(self.client.set_once(distinct_id=distinct_id, properties=properties))

    def alias(self, previous_id, distinct_id):
        return self.returned(self.client.alias(previous_id, distinct_id))

    def group_identify(self, group_type, group_key, properties):
        return self.returned(self.client.group_identify(group_type, group_key, properties))

    def returned(self, result):
        if OLD:
            accepted, message = result
            assert accepted, message
            heard(message)
        return result


def tell_story(teller):
    teller.capture(ANONYMOUS, "looked around")
    teller.capture(ANONYMOUS, "looked around")
    teller.identify(USER, {"email": "ada@example.com", "plan": "free"})
    teller.set_once(USER, {"first_seen": "monday"})
    teller.alias(USER, ANONYMOUS)
    teller.capture(ANONYMOUS, "came back")
    teller.set(USER, {"plan": "pro"})
    teller.set_once(USER, {"first_seen": "tuesday"})
    teller.group_identify("company", COMPANY, {"tier": "gold"})
    teller.capture(USER, "invited", groups={"company": COMPANY})
    if not OLD:
        teller.client.capture_ai("$ai_generation", distinct_id=USER)
    count(teller, BATCH)


def count(teller, events):
    for n in range(events):
        # The older one sends no uuid of its own: what it sends again can be told by the caller's only.
        teller.capture(USER, "counted", properties={"n": n}, uuid=str(uuid.uuid4()))


what, host, token, *rest = sys.argv[1:]
teller = Teller(host, token)
if what == "story":
    tell_story(teller)
else:
    count(teller, int(rest[0]))
teller.client.shutdown()
print(json.dumps({"version": VERSION, "said": said}))
