/**
 * One real azurite, Microsoft's emulator of Azure's storage, for the whole test process, with a container for each caller.
 * If azurite is not installed, suites that need it are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { ContainerClient, StorageSharedKeyCredential } from '@azure/storage-blob';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { cacheFolder } from '../../../src/platform/config.ts';
import { terminate } from './process-end.ts';
import { skipSuite } from '../missing.ts';

const VERSION = '3.35.0';
const START_MS = 60_000;

/** The emulator's account, which azurite reads from the environment. */
export const AZURE_ACCOUNT = {
  name: 'sluicetest',
  key: Buffer.from('canary-key-of-the-account').toString('base64'),
};

type Server = { process: ChildProcess; endpoint: string };
let running: Promise<Server> | undefined;

const program = () => path.join(cacheFolder(), `azurite-${VERSION}`, 'node_modules/azurite/dist/src/blob/main.js');

/** Call it in a `before` hook, passing the hook's `this`. */
export function needsAzurite(suite: Mocha.Context): void {
  if (existsSync(program())) return;
  const message = `azurite is not installed: npm install --prefix "$HOME/.cache/sluice/azurite-${VERSION}" azurite@${VERSION}`;
  skipSuite(suite, message);
}

async function start(): Promise<Server> {
  const server = spawn(
    process.execPath,
    [
      program(),
      '--blobHost=127.0.0.1',
      '--blobPort=0',
      '--inMemoryPersistence',
      '--silent',
      '--skipApiVersionCheck',
      '--disableTelemetry',
      '--disableProductStyleUrl',
    ],
    {
      env: { AZURITE_ACCOUNTS: `${AZURE_ACCOUNT.name}:${AZURE_ACCOUNT.key}` },
      stdio: ['ignore', 'pipe', 'ignore'],
      cwd: path.dirname(program()),
    },
  );
  // A test process that dies takes the server down with it; the hooks stop it in the ordinary case.
  process.once('exit', () => server.kill('SIGKILL'));
  return { process: server, endpoint: `${await originOf(server)}/${AZURE_ACCOUNT.name}` };
}

/** The address that the server prints when it listens. */
async function originOf(server: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const timer = setTimeout(() => reject(new Error('azurite does not answer')), START_MS);
  server.once('exit', () => reject(new Error('azurite has ended')));
  createInterface({ input: server.stdout! }).on('line', (line) => {
    const origin = /listens on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
    if (origin) resolve(origin);
  });
  return promise.finally(() => clearTimeout(timer));
}

export function connectionString(endpoint: string, key = AZURE_ACCOUNT.key): string {
  const scheme = new URL(endpoint).protocol.replace(':', '');
  return `DefaultEndpointsProtocol=${scheme};AccountName=${AZURE_ACCOUNT.name};AccountKey=${key};BlobEndpoint=${endpoint};`;
}

export type TestContainer = {
  /** URL of the account: `http://127.0.0.1:port/account`. */
  endpoint: string;
  /** A plain client with all rights, to look at what is there. */
  client: ContainerClient;
  /** The emulator's process. */
  pid: number;
};

/** A fresh container at a server that is started when the first test asks. */
export async function createTestContainer(): Promise<TestContainer> {
  running ??= start();
  const { endpoint, process: server } = await running;
  const credential = new StorageSharedKeyCredential(AZURE_ACCOUNT.name, AZURE_ACCOUNT.key);
  const client = new ContainerClient(`${endpoint}/c-${randomBytes(6).toString('hex')}`, credential);
  await client.create();
  return { endpoint, client, pid: server.pid! };
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestAzurite(): Promise<void> {
  const server = await running?.catch(() => undefined);
  running = undefined;
  if (!server) return;
  await terminate(server.process);
}
