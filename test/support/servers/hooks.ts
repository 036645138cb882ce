/** Hooks around the whole suite (mocha `--require`). Servers start when the first test of a process asks for them, and stop here. */
import { temporalProgram } from '../../../src/platform/temporal/dev-server-program.ts';
import { stopTestBrowser } from '../sdks/browser.ts';
import { stopTestDatabases } from '../database/database.ts';
import { stopTestAzurite } from './azurite.ts';
import { stopTestGcs } from './gcs/fake-gcs.ts';
import { stopTestIcebergCatalog } from './iceberg-catalog.ts';
import { stopTestObjectStore } from './object-store.ts';
import { stopTestMinio } from './s3/minio.ts';
import { stopTestTemporal } from './temporal.ts';

/** Builds Temporal if necessary, before any test's timeout starts, because that takes minutes. */
export async function mochaGlobalSetup(): Promise<void> {
  // Without Temporal the tests that need it fail, and the others still run.
  await temporalProgram({ onProgress: printLine }).catch((error: Error) => printLine(error.message));
}

function printLine(message: string): void {
  console.log(`  Temporal: ${message}`);
}

/** In a parallel run, hooks surround each file of a worker: its servers keep running for the next file, and end with the process. */
const isWorker = process.env['MOCHA_WORKER_ID'] !== undefined;

export const mochaHooks = isWorker
  ? {}
  : {
      async afterAll() {
        // The catalog keeps connections to the database, so it stops first.
        await stopTestIcebergCatalog();
        await Promise.all([
          stopTestDatabases(),
          stopTestTemporal(),
          stopTestObjectStore(),
          stopTestMinio(),
          stopTestAzurite(),
          stopTestGcs(),
          stopTestBrowser(),
        ]);
      },
    };
