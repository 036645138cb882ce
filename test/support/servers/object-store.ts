/**
 * One real S3-compatible server (versitygw) for the whole test process, with a bucket for each caller. If it is not installed,
 * its suites are skipped with a message; with SLUICE_REQUIRE=all they fail.
 */
import { s3Server, type TestBucket } from './s3/s3-server.ts';

export type { TestBucket } from './s3/s3-server.ts';

export const OBJECT_STORE_KEYS = { accessKeyId: 'SLUICETESTKEY', secretAccessKey: 'canary-secret-of-the-store' };

const server = s3Server({
  program: 'versitygw',
  package: 'github.com/versity/versitygw/cmd/versitygw@latest',
  args: (port, directory) => ['--port', `127.0.0.1:${port}`, 'posix', directory],
  env: { ROOT_ACCESS_KEY: OBJECT_STORE_KEYS.accessKeyId, ROOT_SECRET_KEY: OBJECT_STORE_KEYS.secretAccessKey },
  keys: OBJECT_STORE_KEYS,
});

/** Call it in a `before` hook, passing the hook's `this`. */
export const needsObjectStore = server.needs;

/** A fresh bucket at a server that is started when the first test asks. */
export const createTestBucket = async (): Promise<TestBucket> => server.createBucket();

/** Stops the server; the mocha hooks call it after the last test. */
export const stopTestObjectStore = server.stop;
