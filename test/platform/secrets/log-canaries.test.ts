/** Messages of other people's software stay out of the log: they name users and quote rows. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { activity } from '../../../activities/activity.ts';
import type { Engine } from '../../../activities/engine.ts';
import { createClient, createKnex } from '../../../src/platform/db/connection.ts';
import { openClient } from '../../../src/exports/destinations/postgres/client.ts';
import { translate } from '../../../src/exports/destinations/postgres/errors.ts';
import { s3Client } from '../../../src/exports/destinations/s3/client.ts';
import { translate as translateS3 } from '../../../src/exports/destinations/s3/errors.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';
import { hostRules } from '../../../src/platform/net/host-rules.ts';
import { describeError } from '../../../src/platform/secrets/redact.ts';
import { createLogger } from '../../../src/platform/telemetry/logger.ts';
import { forLog } from '../../../src/platform/temporal/failures.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

const CANARY = 'canary';

/** @returns what the log holds of an error, by every way in which we write one */
function logOfError(error: unknown): string {
  const lines: string[] = [];
  const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => lines.push(line) });
  log.error({ err: error }, 'failed');
  log.error(error);
  log.error({ error: describeError(error) }, 'failed');
  log.error(forLog(error), 'failed');
  log.error({ err: new Error('wrapped', { cause: error }) }, 'failed');
  assert.equal(lines.length, 5);
  return lines.join('');
}

async function thrownBy(work: () => Promise<unknown>): Promise<Error> {
  try {
    await work();
  } catch (error) {
    return error as Error;
  }
  return assert.fail('nothing was thrown');
}

async function parse(): Promise<unknown> {
  await Promise.resolve();
  return JSON.parse(`{"a": canary}`) as unknown;
}

function throwFirst([result]: readonly PromiseSettledResult<unknown>[]): never {
  throw (result as PromiseRejectedResult).reason;
}

describe('the log of an error', () => {
  let database: TestDatabase;
  let host: string;
  let port: number;

  before(async () => {
    database = await createTestDatabase();
    const address = new URL(database.url);
    [host, port] = [address.hostname, Number(address.port)];
  });
  after(() => database.drop());

  const STATEMENTS: readonly [title: string, code: string, sql: string][] = [
    ['quotes a value', '22P02', `select 'canary'::int`],
    ['quotes a row in its detail', '23505', `create temporary table t (a text primary key); insert into t values ('canary'), ('canary')`], // prettier-ignore
    ['quotes a whole row in its detail', '23514', `create temporary table c (a text, b int check (b > 0)); insert into c values ('canary', 0)`], // prettier-ignore
    ['quotes in its context', '22P02', `do $$ begin perform 'canary'::int; end $$`],
    ['quotes a statement inside', '42P01', `do $$ begin execute 'select * from canary'; end $$`],
    ['says what a function raised', 'P0001', `do $$ begin raise exception 'canary' using detail = 'canary', hint = 'canary'; end $$`], // prettier-ignore
    ['names a user', '22023', 'set role canary'],
    ['names a column', '42703', 'select canary from events'],
  ];
  for (const [title, code, sql] of STATEMENTS) {
    it(`holds its class and code, when Postgres ${title}`, async () => {
      const client = createClient({ url: database.url, applicationName: 'test' });
      await client.connect();
      const error = await thrownBy(() => client.query(sql));
      await client.end();
      const db = createKnex({ url: database.url, applicationName: 'test' });
      const throughKnex = await thrownBy(async () => db.raw(sql));
      await db.destroy();
      for (const one of [error, throughKnex, await thrownBy(async () => translate(error))]) {
        const text = logOfError(one);
        assert.doesNotMatch(text, /canary/i);
        assert.ok(text.includes(`"code":"${code}"`), text);
      }
    });
  }

  it('holds its class and code, when Postgres lets a user not in', async () => {
    const access = { host, port, user: CANARY, password: CANARY, database: CANARY };
    const rules = hostRules(['127.0.0.1', 'localhost']);
    const { signal } = new AbortController();
    const error = await thrownBy(() => openClient({ ...access, rules, trustAnyCertificate: true, signal }));
    assert.ok(error instanceof DestinationUnavailable);
    assert.doesNotMatch(logOfError(error), /canary/);
    assert.match(logOfError(error), /"type":"DatabaseError","code":"28/);
    const own = createClient({ url: `postgres://canary:canary@${host}:${port}/canary`, applicationName: 'test' });
    assert.doesNotMatch(logOfError(await thrownBy(() => own.connect())), /canary/);
  });

  it('holds its class and code, when a store refuses', async () => {
    const store = createServer((_, response) => {
      response.writeHead(403, { 'Content-Type': 'application/xml', 'x-amz-request-id': CANARY });
      response.end('<Error><Code>AccessDenied</Code><Message>canary</Message><BucketName>canary</BucketName></Error>');
    });
    await new Promise<void>((listening) => store.listen(0, '127.0.0.1', listening));
    const { client, close } = s3Client({
      region: 'us-east-1',
      credentials: { accessKeyId: CANARY, secretAccessKey: CANARY },
      endpoint: `http://127.0.0.1:${(store.address() as AddressInfo).port}`,
      virtualHosts: false,
      allowedHosts: ['127.0.0.1'],
    });
    const { ListObjectsV2Command } = await import('@aws-sdk/client-s3');
    const error = await thrownBy(() => client.send(new ListObjectsV2Command({ Bucket: CANARY })));
    close();
    store.close();
    assert.match(`${error.name} ${error.message}`, /canary/);
    for (const one of [error, await thrownBy(async () => translateS3(error))]) {
      assert.doesNotMatch(logOfError(one), /canary/);
    }
  });

  it('holds its class and code, when the system or the runtime quotes what it was given', async () => {
    const missing = await thrownBy(() => readFile(`/nowhere/${CANARY}`));
    assert.doesNotMatch(logOfError(missing), /canary/);
    assert.match(logOfError(missing), /"code":"ENOENT"/);
    for (const work of [
      async () => JSON.parse(`{"a": canary}`) as unknown,
      async () => BigInt(CANARY),
      async () => new Intl.DateTimeFormat('en', { timeZone: CANARY }),
      async () => new URL(CANARY),
    ]) {
      assert.doesNotMatch(logOfError(await thrownBy(work)), /canary/);
    }
  });

  const WAYS: Readonly<Record<string, () => Promise<unknown>>> = {
    'all of several': () => Promise.all([parse(), parse()]),
    'each of several': async () => throwFirst(await Promise.allSettled([parse(), parse()])),
    'any of several': () =>
      Promise.any([parse(), parse()]).catch(({ errors }: AggregateError) => {
        throw errors[0];
      }),
    'several of several': () => Promise.all([(async () => Promise.all([parse(), parse()]))(), parse()]),
    // oxlint-disable-next-line no-eval
    'what a text computes': async () => eval('JSON.parse(`{"a": canary}`)') as unknown,
  };
  for (const [what, work] of Object.entries(WAYS)) {
    it(`holds where, and no message, when the runtime quotes what it was given to ${what}`, async () => {
      const error = await thrownBy(work);
      assert.match(error.message, /canary/);
      assert.doesNotMatch(logOfError(error), /canary/);
      assert.match(logOfError(error), /SyntaxError/);
    });
  }

  it('holds no message that looks like one of our stacks', () => {
    const frame = `    at parse (${new URL('../../../src/platform/secrets/redact.ts', import.meta.url).href}:1:1)`;
    const error = new SyntaxError('quoted');
    error.stack = `SyntaxError: canary\n${frame}`;
    assert.doesNotMatch(logOfError(error), /quoted|canary/);
    error.message = `canary\n${frame}`;
    error.stack = `SyntaxError: ${error.message}\n    at JSON.parse (<anonymous>)\n${frame}`;
    assert.doesNotMatch(logOfError(error), /canary/);
  });

  it('ends, when errors are causes of each other', () => {
    const [one, other] = [new Error('one'), new Error('other')];
    one.cause = other;
    other.cause = one;
    assert.match(logOfError(one), /\[too deep\]/);
    assert.ok(logOfError(one).length < 100_000);
  });

  it('holds what we say ourselves where others wait for it', async () => {
    const error = await thrownBy(() =>
      Promise.all([
        (async () => {
          await Promise.resolve();
          throw new Error('two schemas of one title');
        })(),
        Promise.resolve(),
      ]),
    );
    assert.match(error.stack!, /Promise\.all \(index 0\)/);
    assert.match(logOfError(error), /two schemas of one title/);
  });

  it('holds what we say ourselves, and where', async () => {
    assert.match(logOfError(new DestinationRejected('The bucket does not exist.')), /The bucket does not exist\./);
    const text = logOfError(new Error('two schemas of one title'));
    assert.match(text, /two schemas of one title/);
    assert.match(text, /log-canaries\.test\.ts/);
  });

  it('is as short in the log of an activity, and in its history', async () => {
    const lines: string[] = [];
    const log = createLogger({ LOG_LEVEL: 'debug' }, 'test', { write: (line) => lines.push(line) });
    const client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
    const failing = activity({ log } as Engine, () => client.query(`select 'canary'::int`));
    const failure = await thrownBy(() => new MockActivityEnvironment().run(failing));
    await client.end();
    assert.match(lines.join(''), /"type":"DatabaseError","code":"22P02"/);
    assert.doesNotMatch(lines.join('') + failure.message + failure.stack + String(failure.cause), /canary/);
  });
});
