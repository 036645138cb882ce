"""Reads a table's rows as JSON with pyiceberg; with "append UUID" it appends a row of its own instead, as another writer does."""
import datetime
import json
import sys

import pyarrow
from pyiceberg.catalog import load_catalog

uri, name, endpoint, key, secret, mode, *uuid = sys.argv[1:]
catalog = load_catalog(
    'rest',
    uri=uri,
    **{
        's3.endpoint': endpoint,
        's3.access-key-id': key,
        's3.secret-access-key': secret,
        's3.region': 'us-east-1',
        's3.force-virtual-addressing': 'false',
    },
)
table = catalog.load_table(name)
if mode == 'append':
    schema = table.schema().as_arrow()
    row = {
        'uuid': uuid,
        '_sluice_export': ['another'],
        '_sluice_interval_time': [datetime.datetime(2015, 5, 17, 10, tzinfo=datetime.timezone.utc)],
    }
    columns = [row.get(field.name, [None]) for field in schema]
    table.append(pyarrow.table([pyarrow.array(c, f.type) for c, f in zip(columns, schema)], schema=schema))
else:
    print(json.dumps(table.scan().to_arrow().to_pylist(), default=str))
