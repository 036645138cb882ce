"""Asks a server for the flags of table.json with OpenFeature's provider for OFREP.

    python ofrep_table.py HOST KEY TABLE

Prints what it was told, as lines of JSON.
"""

import json
import logging
import sys

from openfeature import api
from openfeature.contrib.provider.ofrep import OFREPProvider
from openfeature.evaluation_context import EvaluationContext

host, key, table = sys.argv[1:]
with open(table, encoding="utf-8") as file:
    asked = json.load(file)

# It logs each flag that it gives the default for.
logging.disable()
api.set_provider_and_wait(OFREPProvider(host, headers_factory=lambda: {"Authorization": f"Bearer {key}"}))
client = api.get_client()
for person in asked["persons"]:
    context = EvaluationContext(person["id"], {"groups": person["groups"]})
    for flag in asked["flags"]:
        if "multivariate" in flag["filters"]:
            details = client.get_string_details(flag["key"], "default", context)
        else:
            details = client.get_boolean_details(flag["key"], True, context)
        line = {
            "from": "ofrep",
            "person": person["id"],
            "flag": flag["key"],
            "value": details.value,
            "variant": details.variant,
            "reason": details.reason,
            "error": details.error_code,
        }
        print(json.dumps(line))
