"""Asks a server for the flags of test/support/flags/flag-world.ts, with whichever version of posthog this interpreter has.

    python flags.py HOST TOKEN SECRET_KEY

Prints, as JSON, what it was told.
"""

import json
import sys
import time

from posthog import Posthog
from posthog.version import VERSION

host, token, secret_key = sys.argv[1:]
GROUPS = {"company": "acme"}
KNOWN = {
    "groups": GROUPS,
    "person_properties": {"plan": "pro"},
    "group_properties": {"company": {"tier": "gold"}},
}
QUIET = {"send_feature_flag_events": False}


def read(payload):
    # The older one gives JSON, the newer one what it says.
    return json.loads(payload) if VERSION.startswith("3.") else payload


def ask_remotely():
    client = Posthog(token, host=host)
    told = {
        "ada": client.get_all_flags_and_payloads("ada", groups=GROUPS),
        "bob": client.get_all_flags("bob"),
        "payload": read(client.get_feature_flag_payload("everybody", "bob")),
        "overridden": [
            client.get_feature_flag("for-pro", "bob", person_properties={"plan": "pro"}, **QUIET),
            client.get_feature_flag("for-pro", "ada", person_properties={"plan": "free"}, **QUIET),
            client.get_feature_flag(
                "for-gold",
                "bob",
                groups={"company": "other"},
                group_properties={"company": {"tier": "gold"}},
                **QUIET,
            ),
        ],
        "called": client.get_feature_flag("colours", "ada"),
    }
    client.shutdown()
    return told


def enrolled(choice):
    return {"$feature_enrollment/early": choice}


def ask_locally():
    client = Posthog(token, host=host, personal_api_key=secret_key, poll_interval=1)
    client.load_feature_flags()
    told = {
        "ada": client.get_all_flags("ada", only_evaluate_locally=True, **KNOWN),
        "payload": read(client.get_feature_flag_payload("colours", "ada", only_evaluate_locally=True, **KNOWN)),
        "unknown": client.get_feature_flag("invited", "ada", only_evaluate_locally=True, **QUIET),
        "asked": [client.get_feature_flag(key, "ada", **QUIET) for key in ("invited", "kept", "for-pro", "early")],
        "chosen": [
            client.get_feature_flag("early", "bob", person_properties=choice, only_evaluate_locally=True, **QUIET)
            for choice in (enrolled(True), enrolled("true"), enrolled(False), {})
        ],
    }
    # The test takes the flag away while this waits for a poll that says so.
    until = time.monotonic() + 60
    while client.get_feature_flag("everybody", "ada", only_evaluate_locally=True, **QUIET) and time.monotonic() < until:
        time.sleep(0.02)
    told["changed"] = client.get_feature_flag("everybody", "ada", only_evaluate_locally=True, **QUIET)
    client.shutdown()
    return told


print(json.dumps({"version": VERSION, "remote": ask_remotely(), "local": ask_locally()}))
