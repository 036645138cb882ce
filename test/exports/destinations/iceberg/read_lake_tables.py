"""Prints what pyiceberg reads in tables: one line of JSON for each, with types and rows, without the columns that Sluice adds."""

import json
import os
import sys

from pyiceberg.catalog import load_catalog

sys.path.append(os.path.join(os.path.dirname(__file__), "../../formats"))
from read_tables import content_of  # noqa: E402

uri, endpoint, key, secret, *names = sys.argv[1:]
catalog = load_catalog(
    "rest",
    uri=uri,
    **{
        "s3.endpoint": endpoint,
        "s3.access-key-id": key,
        "s3.secret-access-key": secret,
        "s3.region": "us-east-1",
        "s3.force-virtual-addressing": "false",
    },
)
for name in names:
    table = catalog.load_table(name).scan().to_arrow()
    content = content_of(table.select([name for name in table.schema.names if not name.startswith("_sluice_")]))
    print(json.dumps({**content, "types": [type.replace("large_", "") for type in content["types"]]}))
