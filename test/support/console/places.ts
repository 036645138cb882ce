/** Real places for the exports of console tests: a bucket on an S3 server and a table in Postgres. */
import { randomBytes } from 'node:crypto';
import { createTestBucket, OBJECT_STORE_KEYS } from '../servers/object-store.ts';
import type { ConsoleInstallation } from './installation.ts';

export type Place = { type: string; config: Record<string, unknown> };

/** A new, empty bucket. */
export async function bucketPlace(change: object = {}): Promise<Place> {
  const { bucket, region, endpoint } = await createTestBucket();
  const config = {
    bucket_name: bucket,
    region,
    endpoint_url: endpoint,
    use_virtual_style_addressing: false,
    aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
    aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
    ...change,
  };
  return { type: 'S3', config };
}

/** A new schema, with a view `report`, which is not a table. */
export async function schemaPlace(
  { sluice, world }: ConsoleInstallation,
  change: object = {},
): Promise<Place & { schema: string }> {
  const schema = `warehouse_${randomBytes(4).toString('hex')}`;
  await sluice.pool.query(`create schema ${schema}; create view ${schema}.report as select 1 as uuid`);
  const { hostname, port, username, password, pathname } = new URL(world.options.databaseUrl);
  const config = {
    host: hostname,
    port: Number(port),
    user: username,
    password: decodeURIComponent(password),
    database: pathname.slice(1),
    schema,
    table_name: 'events',
    has_self_signed_cert: false,
    ...change,
  };
  return { type: 'Postgres', config, schema };
}
