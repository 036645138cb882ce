"""Prints what pyarrow reads in the files of a folder: one line of JSON for each file, by name, with types and rows."""

import csv
import io
import json
import os
import struct
import sys

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as pq

EXACT = {
    pa.timestamp("us", tz="UTC"): lambda column: [None if v is None else str(v) for v in column.cast(pa.int64()).to_pylist()],
    pa.date32(): lambda column: column.cast(pa.int32()).to_pylist(),
    pa.int64(): lambda column: [None if v is None else str(v) for v in column.to_pylist()],
    pa.float64(): lambda column: [None if v is None else struct.pack(">d", v).hex() for v in column.to_pylist()],
}


COMPRESSIONS = {".gz": "gzip", ".br": "brotli", ".zst": "zstd"}


def read(path):
    ending = os.path.splitext(path)[1]
    if ending == ".parquet":
        return pq.read_table(path, partitioning=None)
    content = pa.input_stream(path, compression=COMPRESSIONS.get(ending)).read()
    header = next(csv.reader(io.StringIO(content.decode(), newline="")))
    return arrow_csv.read_csv(
        pa.BufferReader(content),
        parse_options=arrow_csv.ParseOptions(newlines_in_values=True),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in header},
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )


def content_of(table):
    columns = [EXACT.get(column.type, lambda column: column.to_pylist())(column) for column in table.columns]
    return {
        "names": table.schema.names,
        "types": [str(field.type) for field in table.schema],
        "rows": [list(row) for row in zip(*columns)] if columns else [],
    }


if __name__ == "__main__":
    for name in sorted(os.listdir(sys.argv[1])):
        print(json.dumps({"file": name, **content_of(read(os.path.join(sys.argv[1], name)))}))
