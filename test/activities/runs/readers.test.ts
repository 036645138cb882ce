/** Readers who follow the rule of docs/destinations/files.md all the time, while an interval is delivered again and again. */
import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { GetObjectCommand, NoSuchKey } from '@aws-sdk/client-s3';
import { deleteSupersededFiles } from '../../../activities/rounds/delete-superseded-files.ts';
import {
  runsAfterBackfill,
  buildExport,
  buildExportWorld,
  type ExportWorld,
} from '../../support/exports/export-world.ts';
import { MIB, storeParts } from '../../support/exports/many-parts.ts';
import { createTestBucket, needsObjectStore, OBJECT_STORE_KEYS } from '../../support/servers/object-store.ts';

const DELIVERIES = 16;
/** Each delivery has so many more than the one before. */
const ROWS = 60;
const ROWS_OF_A_FILE = 30;
const READERS = 3;
/** At most; so that a read takes about as long as a delivery. */
const PAUSE_BETWEEN_FILES_MS = 150;

type Place = {
  destination: { type: string; config: Record<string, unknown> };
  /** undefined: there is no such object. */
  get(key: string): Promise<Buffer | undefined>;
};

type Manifest = { state: string; rows: number; files: { key: string; rows: number; sha256: string }[] };

async function bucket(): Promise<Place> {
  const { endpoint, bucket: name, region, client } = await createTestBucket();
  const keys = {
    aws_access_key_id: OBJECT_STORE_KEYS.accessKeyId,
    aws_secret_access_key: OBJECT_STORE_KEYS.secretAccessKey,
  };
  return {
    destination: {
      type: 'S3Compatible',
      config: { bucket_name: name, region, prefix: 'read', endpoint_url: endpoint, ...keys },
    },
    async get(key) {
      try {
        const { Body } = await client.send(new GetObjectCommand({ Bucket: name, Key: key }));
        return Buffer.from(await Body!.transformToByteArray());
      } catch (error) {
        if (error instanceof NoSuchKey) return undefined;
        throw error;
      }
    },
  };
}

/** @returns what is there other than the manifest says, and how many rows there are */
async function read({ get }: Place, { files: named, rows }: Manifest): Promise<{ torn: string[]; rows: number }> {
  const torn: string[] = [];
  const uuids = new Set<string>();
  for (const file of named) {
    await sleep(Math.random() * PAUSE_BETWEEN_FILES_MS);
    const content = await get(file.key);
    if (content === undefined) torn.push(`${file.key} is not there`);
    else if (createHash('sha256').update(content).digest('hex') !== file.sha256)
      torn.push(`${file.key} is another file`);
    const lines = content?.toString().split('\n').filter(Boolean) ?? [];
    for (const line of lines) uuids.add((JSON.parse(line) as { uuid: string }).uuid);
  }
  if (uuids.size !== rows) torn.push(`${uuids.size} of ${rows} rows`);
  return { torn, rows: uuids.size };
}

describe('a reader who takes what the manifest names, while an interval is delivered again and again', () => {
  let world: ExportWorld;
  before(async () => {
    world = await buildExportWorld();
    await world.startWorker();
  });
  after(async () => world.close());

  function files(): Place {
    return {
      destination: { type: 'LocalFile', config: { directory: randomUUID() } },
      get: (key) => readFile(path.join(path.dirname(world.folder), key)).catch(() => undefined),
    };
  }

  for (const [what, placeOf] of [
    ['local files', async () => files()],
    ['a bucket', bucket],
  ] as const) {
    it(`finds all rows of one delivery or of the next, in ${what}`, async function () {
      if (what === 'a bucket') await needsObjectStore(this);
      const place = await placeOf();
      const config = { ...place.destination.config, max_file_size_mb: 1 };
      const destination = { ...place.destination, config };
      const { id } = await world.batchExports.create(world.projectId, buildExport({ destination, paused: true }));
      await world.engine.pool.query('truncate events, event_ids, import_ranges');

      let delivered = 0;
      async function deliver(): Promise<string> {
        const hour = await storeParts(world, ROWS, { bytes: Math.floor(MIB / ROWS_OF_A_FILE) });
        const backfill = await world.backfills.request(world.projectId, id, hour);
        const run = (await runsAfterBackfill(world, id, backfill.id)).at(-1)!;
        assert.deepEqual([run.status, run.recordsCompleted], ['Completed', delivered + ROWS]);
        delivered = run.recordsCompleted!;
        return run.receipt!.manifest!;
      }
      const manifestKey = await deliver();
      const manifest = async () => {
        // versitygw takes an object away before it puts another one under its name.
        for (;;) {
          const text = await place.get(manifestKey);
          if (text) return JSON.parse(text.toString()) as Manifest;
        }
      };

      const torn: string[] = [];
      let [reads, acrossDeliveries] = [0, 0];
      const finished = new AbortController();
      async function follow(): Promise<void> {
        while (!finished.signal.aborted) {
          const least = delivered;
          const present = await manifest();
          if (present.state !== 'complete') continue;
          const found = await read(place, present);
          torn.push(...found.torn);
          if (found.rows < least) torn.push(`${found.rows} rows after ${least} were delivered`);
          reads += 1;
          if (delivered > least) acrossDeliveries += 1;
        }
      }
      const following = Array.from({ length: READERS }, () => follow());
      try {
        for (let times = 1; times < DELIVERIES; times++) {
          await deliver();
          await deleteSupersededFiles(world.engine, new AbortController().signal);
        }
      } finally {
        finished.abort();
        await Promise.all(following);
      }
      assert.deepEqual(torn, []);
      assert.ok(acrossDeliveries >= DELIVERIES, `${acrossDeliveries} of ${reads} reads saw a delivery go by`);
    });
  }
});
