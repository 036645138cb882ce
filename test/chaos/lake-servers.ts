/** The catalog of the lake, whose tables another writer appends to as well. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { freePort } from '../../src/platform/processes/port.ts';
import { appendByPyiceberg, python } from '../support/exports/iceberg-reader.ts';
import { catalogProgram, createNamespace } from '../support/servers/iceberg-catalog.ts';
import { OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';
import { end, isAnswering, program, serverProcess } from './server-process.ts';
import { BUCKET } from './store.ts';
import type { ObjectStoreServer } from './store-servers.ts';

const NAMESPACE = 'lake';

export type LakeServer = Awaited<ReturnType<typeof icebergCatalog>>;

/** @param databaseUrl of the database that holds the catalog's own rows */
export async function icebergCatalog(folder: string, databaseUrl: string, { endpoint, client }: ObjectStoreServer) {
  const port = await freePort();
  const uri = `http://127.0.0.1:${port}`;
  const bucket = { bucket: BUCKET, endpoint, region: 'us-east-1', client };
  const control = program({
    ...catalogProgram(databaseUrl, bucket, port),
    logFile: path.join(folder, 'catalog.log'),
    ready: () => isAnswering(`${uri}/v1/config`),
  });
  const server = serverProcess('catalog', control);
  try {
    await server.start();
    await createNamespace(uri, NAMESPACE);
  } catch (error) {
    await end(server);
    throw error;
  }
  return {
    ...server,
    table: { uri, namespace: NAMESPACE, bucket },
    config: (label: string) => ({
      catalog_uri: uri,
      namespace: NAMESPACE,
      table_name: label,
      region: 'us-east-1',
      endpoint_url: endpoint,
      aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
      aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
    }),
  };
}

/** Undefined if pyiceberg is not installed. */
export function foreignWriter(place: LakeServer['table']) {
  if (!existsSync(python())) {
    if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error('pyiceberg is not installed: .ci/run installs it');
    console.log('left out: another writer of the lake, because pyiceberg is not installed');
    return undefined;
  }
  /** @throws Error if the row may not be there */
  return async (label: string, uuid: string) => appendByPyiceberg(place, label, uuid);
}
