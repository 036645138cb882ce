"""Runs SQL statements in Spark on an Iceberg catalog: reads one statement of JSON a line, and prints its rows, or its error, as JSON a line."""
import glob
import json
import sys

from pyspark.sql import SparkSession

uri, endpoint, key, secret, jars = sys.argv[1:]
catalog = "spark.sql.catalog.lake"
options = {
    "spark.jars": ",".join(glob.glob(f"{jars}/*.jar")),
    "spark.sql.extensions": "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions",
    catalog: "org.apache.iceberg.spark.SparkCatalog",
    f"{catalog}.type": "rest",
    f"{catalog}.uri": uri,
    f"{catalog}.io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
    f"{catalog}.s3.endpoint": endpoint,
    f"{catalog}.s3.path-style-access": "true",
    f"{catalog}.s3.access-key-id": key,
    f"{catalog}.s3.secret-access-key": secret,
    f"{catalog}.client.region": "us-east-1",
    # Other writers change the table meanwhile.
    f"{catalog}.cache-enabled": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
builder = SparkSession.builder.master("local[2]")
for name, value in options.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
print(json.dumps({"version": spark.version}), flush=True)
for line in sys.stdin:
    try:
        rows = [row.asDict() for row in spark.sql(json.loads(line)).collect()]
        print(json.dumps({"rows": rows}, default=str), flush=True)
    except Exception as error:
        print(json.dumps({"error": str(error).split("\n")[0]}), flush=True)
