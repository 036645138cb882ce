"""Asks a server for the flags of table.json, with whichever version of posthog this interpreter has.

    python posthog_table.py HOST TOKEN SECRET_KEY FEED_HOST TABLE

Prints what it was told, as lines of JSON.
"""

import json
import sys

from posthog import Posthog
from posthog.version import VERSION

host, token, secret_key, feed_host, table = sys.argv[1:6]
with open(table, encoding="utf-8") as file:
    persons = json.load(file)["persons"]


def read(payload):
    # The older one gives JSON, the newer one what it says.
    return json.loads(payload) if isinstance(payload, str) else payload


def tell(source, client, options_of):
    for person in persons:
        told = client.get_all_flags_and_payloads(person["id"], groups=person["groups"], **options_of(person))
        for flag, value in told["featureFlags"].items():
            payload = read(told["featureFlagPayloads"].get(flag))
            print(json.dumps({"from": source, "person": person["id"], "flag": flag, "value": value, "payload": payload}))
    client.shutdown()


tell("remote", Posthog(token, host=host), lambda person: {})
local = Posthog(token, host=feed_host, personal_api_key=secret_key)
local.load_feature_flags()
tell(
    "local",
    local,
    lambda person: {
        "person_properties": person["person_properties"],
        "group_properties": person["group_properties"],
        "only_evaluate_locally": True,
    },
)
