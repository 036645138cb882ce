/** Spark as another program that reads and maintains the tables of a catalog: one session, which takes SQL statements. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cacheFolder } from '../../src/platform/config.ts';
import { skipSuite } from '../support/missing.ts';
import type { TestNamespace } from '../support/servers/iceberg-catalog.ts';
import { OBJECT_STORE_KEYS } from '../support/servers/object-store.ts';

const SCRIPT = fileURLToPath(new URL('statements.py', import.meta.url));
const python = () => path.join(cacheFolder(), 'python/pyspark-4.0.1/bin/python');
const jars = () => path.join(cacheFolder(), 'iceberg-spark-1.10.1');

/** Call it in a `before` hook, passing its `this`. */
export function needsSpark(suite: Mocha.Context): void {
  if (!existsSync(python()) || !existsSync(jars()))
    skipSuite(suite, 'Spark 4.0.1 is not installed: CONTRIBUTING.md says how');
}

export type SparkRow = Record<string, unknown>;
export type Spark = Awaited<ReturnType<typeof startSpark>>;

export async function startSpark({ uri, bucket: { endpoint } }: TestNamespace) {
  const { accessKeyId, secretAccessKey } = OBJECT_STORE_KEYS;
  const session = spawn(python(), [SCRIPT, uri, endpoint, accessKeyId, secretAccessKey, jars()], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const answers = createInterface({ input: session.stdout })[Symbol.asyncIterator]();
  async function answer(): Promise<{ rows?: SparkRow[]; version?: string; error?: string }> {
    const { value, done } = await answers.next();
    if (done) throw new Error('Spark has ended');
    return JSON.parse(value) as object;
  }
  const { version } = await answer();
  return {
    version,
    /** One statement at a time. @throws Error with Spark's message */
    async run(statement: string): Promise<SparkRow[]> {
      session.stdin.write(`${JSON.stringify(statement)}\n`);
      const { rows, error } = await answer();
      if (!rows) throw new Error(`Spark: ${error}`);
      return rows;
    },
    async stop() {
      session.stdin.end();
      await once(session, 'exit');
    },
  };
}
