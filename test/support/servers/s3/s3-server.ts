/** A real server of S3's API, started when the first test of a process asks for a bucket. */
import { CreateBucketCommand, type CreateBucketCommandInput, S3Client } from '@aws-sdk/client-s3';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { programFolders } from '../../../../src/platform/config.ts';
import { findProgram } from '../../../../src/platform/processes/program.ts';
import { freePort } from '../../../../src/platform/processes/port.ts';
import { skipSuite } from '../../missing.ts';
import { terminate } from '../process-end.ts';

const START_MS = 60_000;
const REGION = 'us-east-1';

export type TestBucket = {
  /** Origin of the server. */
  endpoint: string;
  bucket: string;
  region: string;
  /** A plain client with all rights, to look at what is there. */
  client: S3Client;
};

/** `directory`: where the server keeps its data. */
export type StoredBucket = TestBucket & { directory: string };

type Options = {
  program: string;
  /** Package from which `go install` builds the program. */
  package: string;
  args(port: number, directory: string): string[];
  env: Record<string, string>;
  keys: { accessKeyId: string; secretAccessKey: string };
};

type Running = { process: ChildProcess; directory: string; endpoint: string; client: S3Client };

export function s3Server({ program: name, package: goPackage, args, env, keys }: Options) {
  let running: Promise<Running> | undefined;
  const findServer = () => findProgram(name, programFolders());

  async function start(): Promise<Running> {
    const program = await findServer();
    if (!program) throw new Error(`${name} is not installed`);
    const directory = await mkdtemp(path.join(tmpdir(), 'sluice-test-objects-'));
    const port = await freePort();
    const server = spawn(program, args(port, directory), { env, stdio: 'ignore' });
    // A test process that dies takes the server along; the hooks stop it in the ordinary case.
    process.once('exit', () => server.kill('SIGKILL'));
    const endpoint = `http://127.0.0.1:${port}`;
    await waitUntilAnswering(name, endpoint);
    const client = new S3Client({ region: REGION, endpoint, forcePathStyle: true, credentials: keys });
    return { process: server, directory, endpoint, client };
  }

  return {
    /** @param suite `this` of a `before` hook; without the program its suite is skipped */
    async needs(suite: Mocha.Context): Promise<void> {
      if (!(await findServer())) skipSuite(suite, `${name} is not installed: go install ${goPackage}`);
    },

    async createBucket(input: Omit<CreateBucketCommandInput, 'Bucket'> = {}): Promise<StoredBucket> {
      running ??= start();
      const { endpoint, client, directory } = await running;
      const bucket = `b-${randomBytes(6).toString('hex')}`;
      await client.send(new CreateBucketCommand({ Bucket: bucket, ...input }));
      return { endpoint, bucket, region: REGION, directory, client };
    },

    async stop(): Promise<void> {
      if (!running) return;
      const server = await running.catch(() => undefined);
      running = undefined;
      if (!server) return;
      server.client.destroy();
      await terminate(server.process);
      await rm(server.directory, { recursive: true, force: true });
    },
  };
}

async function waitUntilAnswering(name: string, endpoint: string): Promise<void> {
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
    if (Date.now() > until) throw new Error(`${name} does not answer`);
    await sleep(50);
  }
}
