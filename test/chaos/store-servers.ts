/** The servers of object stores that files are delivered to, each with a plain reader's view of it. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { RestError } from '@azure/storage-blob';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { programFolders } from '../../src/platform/config.ts';
import { freePort } from '../../src/platform/processes/port.ts';
import { findProgram } from '../../src/platform/processes/program.ts';
import { connectionString, createTestContainer, stopTestAzurite } from '../support/servers/azurite.ts';
import { createGcsBucket, stopTestGcs } from '../support/servers/gcs/fake-gcs.ts';
import { OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';
import { startStallingProxy } from '../support/servers/stalling-proxy.ts';
import { end, isAnswering, program, serverProcess, type ServerProcess } from './server-process.ts';
import { BUCKET, isManifest, type Store } from './store.ts';

export type ObjectStoreServer = Awaited<ReturnType<typeof objectStore>>;

export async function objectStore(folder: string) {
  const command = await findProgram('versitygw', programFolders());
  if (command === undefined) throw new Error('versitygw is not installed: CONTRIBUTING.md says how');
  const data = path.join(folder, 'objects');
  await mkdir(data);
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = serverProcess(
    'objects',
    program({
      command,
      args: ['--port', `127.0.0.1:${port}`, 'posix', data],
      env: { ROOT_ACCESS_KEY: OBJECT_STORE_KEYS.accessKeyId, ROOT_SECRET_KEY: OBJECT_STORE_KEYS.secretAccessKey },
      logFile: path.join(folder, 'objects.log'),
      ready: () => isAnswering(endpoint),
    }),
  );
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials: OBJECT_STORE_KEYS });
  try {
    await server.start();
    await client.send(new CreateBucketCommand({ Bucket: BUCKET }));
  } catch (error) {
    await end(server);
    throw error;
  }
  return { ...server, endpoint, client };
}

type Emulator = ServerProcess &
  AsyncDisposable & {
    /** The configuration of an export to the place, without its content. */
    config(label: string): Record<string, unknown>;
    store: Store;
  };

/** An emulator behind a network that can be cut. */
async function emulator(name: string, pid: number, target: string, stop: () => Promise<void>) {
  const network = await startStallingProxy(target);
  const control = {
    start: async () => network.resume(),
    pid: async () => pid,
    kill: async () => network.refuse(),
  };
  const server = serverProcess(name, control, 'cut off');
  return {
    ...server,
    origin: network.origin,
    async [Symbol.asyncDispose]() {
      await server.thaw();
      network.close();
      await stop();
    },
  };
}

export async function gcsStore(): Promise<Emulator> {
  const { bucket, gateway, key, list, read, pid } = await createGcsBucket();
  const server = await emulator('gcs', pid, gateway.origin, stopTestGcs);
  const account = { ...(JSON.parse(key) as object), token_uri: `${server.origin}/token` };
  return {
    ...server,
    config: (label) => ({
      bucket_name: bucket,
      prefix: label,
      service_account_key: JSON.stringify(account),
      endpoint_url: server.origin,
    }),
    store: {
      manifests: async ({ label }) => (await list(`${label}/`)).map(({ name }) => name).filter(isManifest),
      get: read,
    },
  };
}

export async function azureStore(): Promise<Emulator> {
  const { endpoint, client, pid } = await createTestContainer();
  const { origin, pathname } = new URL(endpoint);
  const server = await emulator('azure', pid, origin, stopTestAzurite);
  return {
    ...server,
    config: (label) => ({
      container_name: client.containerName,
      prefix: label,
      connection_string: connectionString(`${server.origin}${pathname}`),
    }),
    store: {
      async manifests({ label }) {
        const blobs = await Array.fromAsync(client.listBlobsFlat({ prefix: `${label}/` }));
        return blobs.map(({ name }) => name).filter(isManifest);
      },
      async get(key) {
        try {
          const { readableStreamBody } = await client.getBlobClient(key).download();
          return Buffer.concat((await Array.fromAsync(readableStreamBody!)) as Buffer[]);
        } catch (error) {
          if (error instanceof RestError && error.statusCode === 404) return undefined;
          throw error;
        }
      },
    },
  };
}
