/**
 * One real S3-compatible server (versitygw) for the whole test process, with a bucket for each caller. If it is not installed,
 * its suites are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFolders } from '../../../src/platform/config.ts';
import { findProgram } from '../../../src/platform/processes/program.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import { terminate } from './process-end.ts';
import { skipSuite } from '../missing.ts';

export const OBJECT_STORE_KEYS = { accessKeyId: 'SLUICETESTKEY', secretAccessKey: 'canary-secret-of-the-store' };
const START_MS = 60_000;

type Server = { process: ChildProcess; directory: string; endpoint: string; client: S3Client };
let running: Promise<Server> | undefined;

const findServer = () => findProgram('versitygw', programFolders());

/** Call it in a `before` hook, passing the hook's `this`. */
export async function needsObjectStore(suite: Mocha.Context): Promise<void> {
  if (await findServer()) return;
  const message = 'versitygw is not installed: go install github.com/versity/versitygw/cmd/versitygw@latest';
  skipSuite(suite, message);
}

async function start(): Promise<Server> {
  const program = await findServer();
  if (!program) throw new Error('versitygw is not installed');
  const directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-objects-'));
  const port = await freePort();
  const server = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', directory], {
    env: { ROOT_ACCESS_KEY: OBJECT_STORE_KEYS.accessKeyId, ROOT_SECRET_KEY: OBJECT_STORE_KEYS.secretAccessKey },
    stdio: 'ignore',
  });
  // A test process that dies takes the server along; the hooks stop it in the ordinary case.
  process.once('exit', () => server.kill('SIGKILL'));
  const endpoint = `http://127.0.0.1:${port}`;
  await waitUntilAnswering(endpoint);
  const client = new S3Client({ region: 'us-east-1', endpoint, forcePathStyle: true, credentials: OBJECT_STORE_KEYS });
  return { process: server, directory, endpoint, client };
}

async function waitUntilAnswering(endpoint: string): Promise<void> {
  const until = Date.now() + START_MS;
  for (;;) {
    // Any answer will do, also "forbidden".
    if (
      await fetch(endpoint).then(
        () => true,
        () => false,
      )
    )
      return;
    if (Date.now() > until) throw new Error('versitygw does not answer');
    await sleep(50);
  }
}

export type TestBucket = {
  /** Origin of the server. */
  endpoint: string;
  bucket: string;
  region: string;
  /** A plain client with all rights, to look at what is there. */
  client: S3Client;
};

/** A fresh bucket at a server that is started when the first test asks. */
export async function createTestBucket(): Promise<TestBucket> {
  running ??= start();
  const { endpoint, client } = await running;
  const bucket = `b-${randomBytes(6).toString('hex')}`;
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  return { endpoint, bucket, region: 'us-east-1', client };
}

/** Stops the server; the mocha hooks call it after the last test. */
export async function stopTestObjectStore(): Promise<void> {
  if (!running) return;
  const server = await running.catch(() => undefined);
  running = undefined;
  if (!server) return;
  server.client.destroy();
  await terminate(server.process);
  await rm(server.directory, { recursive: true, force: true });
}
