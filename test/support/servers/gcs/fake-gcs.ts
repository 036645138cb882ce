/**
 * One fake-gcs-server, an emulator of Google Cloud Storage, for the whole test process, with a bucket for each caller.
 * If it is not installed, suites that need it are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFolders } from '../../../../src/platform/config.ts';
import { freePort } from '../../../../src/platform/processes/port.ts';
import { findProgram } from '../../../../src/platform/processes/program.ts';
import { skipSuite } from '../../missing.ts';
import { terminate } from '../process-end.ts';
import { startGateway, type Gateway } from './gateway.ts';

const START_MS = 60_000;
const PACKAGE = 'github.com/fsouza/fake-gcs-server@v1.56.1';

type Server = { process: ChildProcess; fake: string; gateway: Gateway; privateKey: string };
let running: Promise<Server> | undefined;

const findServer = () => findProgram('fake-gcs-server', programFolders());

/** Call it in a `before` hook, passing the hook's `this`. */
export async function needsGcs(suite: Mocha.Context): Promise<void> {
  if (!(await findServer())) skipSuite(suite, `fake-gcs-server is not installed: go install ${PACKAGE}`);
}

async function start(): Promise<Server> {
  const program = await findServer();
  if (!program) throw new Error('fake-gcs-server is not installed');
  const port = await freePort();
  const fake = `http://127.0.0.1:${port}`;
  const options = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory'];
  const server = spawn(program, [...options, '-external-url', fake, '-public-host', `127.0.0.1:${port}`], {
    stdio: 'ignore',
  });
  // A test process that dies takes the server along; the hooks stop it in the ordinary case.
  process.once('exit', () => server.kill('SIGKILL'));
  await waitUntilAnswering(`${fake}/_internal/healthcheck`);
  const { publicKey, pem } = buildKeyPair();
  return { process: server, fake, gateway: await startGateway(fake, publicKey), privateKey: pem };
}

async function waitUntilAnswering(url: string): Promise<void> {
  for (const until = Date.now() + START_MS; ; await sleep(50)) {
    const isThere = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isThere) return;
    if (Date.now() > until) throw new Error('fake-gcs-server does not answer');
  }
}

function buildKeyPair() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { publicKey, pem: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string };
}

/** The JSON key of a service account; without a private key, of one that nobody knows. */
export function serviceAccountKey(
  tokenUri: string,
  { privateKey = buildKeyPair().pem, ...more }: { privateKey?: string } & Record<string, unknown> = {},
): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'sluice-tests',
    private_key_id: 'canary-key-id',
    private_key: privateKey,
    client_email: 'exports@sluice-tests.iam.gserviceaccount.com',
    token_uri: tokenUri,
    ...more,
  });
}

export type GcsBucket = {
  gateway: Gateway;
  /** Origin of the emulator itself, which takes requests without tokens. */
  fake: string;
  bucket: string;
  /** JSON key of the service account that the gateway knows. */
  key: string;
  /** The emulator's process. */
  pid: number;
  /** Objects of the bucket, as the emulator itself lists them. */
  list(
    prefix?: string,
  ): Promise<{ name: string; generation: string; metadata?: Record<string, string>; size: string }[]>;
  /** Content of an object; undefined if there is none. */
  read(name: string): Promise<Buffer | undefined>;
  write(name: string, content: string | Buffer): Promise<void>;
  remove(name: string): Promise<void>;
};

async function send(url: string, method: string, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> {
  const answer = await fetch(url, { method, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(`fake-gcs-server answers ${answer.status} to ${method} ${url}`);
  return answer;
}

/** A fresh bucket at a server that is started when the first test asks. */
export async function createGcsBucket(): Promise<GcsBucket> {
  running ??= start();
  const { fake, gateway, privateKey, process: server } = await running;
  const bucket = `b-${randomBytes(6).toString('hex')}`;
  const objects = `${fake}/storage/v1/b/${bucket}/o`;
  const at = (name: string) => `${objects}/${encodeURIComponent(name)}`;
  await send(`${fake}/storage/v1/b?project=sluice-tests`, 'POST', JSON.stringify({ name: bucket }));
  return {
    gateway,
    fake,
    bucket,
    key: serviceAccountKey(`${gateway.origin}/token`, { privateKey }),
    pid: server.pid!,
    async list(prefix = '') {
      const found = await send(`${objects}?${new URLSearchParams({ prefix }).toString()}`, 'GET');
      const { items = [] } = (await found.json()) as { items?: [] };
      return items;
    },
    async read(name) {
      const answer = await fetch(`${at(name)}?alt=media`);
      return answer.ok ? Buffer.from(await answer.arrayBuffer()) : undefined;
    },
    async write(name, content) {
      const query = new URLSearchParams({ uploadType: 'media', name });
      const bytes = new Uint8Array(Buffer.from(content));
      await send(`${fake}/upload/storage/v1/b/${bucket}/o?${query.toString()}`, 'POST', bytes);
    },
    async remove(name) {
      await send(at(name), 'DELETE');
    },
  };
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestGcs(): Promise<void> {
  const server = await running?.catch(() => undefined);
  running = undefined;
  if (!server) return;
  server.gateway.close();
  await terminate(server.process);
}
