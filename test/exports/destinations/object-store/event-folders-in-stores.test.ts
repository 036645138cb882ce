/** Exports with `{event}` in the prefix, from the plan to the files, at the stores whose emulators treat names by rules of their own. */
import assert from 'node:assert/strict';
import { needsAzurite } from '../../../support/servers/azurite.ts';
import { needsGcs } from '../../../support/servers/gcs/fake-gcs.ts';
import { buildEvent, microseconds } from '../../../support/events/events.ts';
import { HOSTILE_NAMES } from '../../../support/events/hostile-names.ts';
import { makeAzurePlace } from '../../../support/exports/azure-place.ts';
import { buildExport, buildExportWorld, runsAfterBackfill } from '../../../support/exports/export-world.ts';
import { makeGcsPlace } from '../../../support/exports/gcs-place.ts';

const HOUR = { startAt: '2015-05-17T10:00:00.000Z', endAt: '2015-05-17T11:00:00.000Z' };
const SECONDS = 300;
/** An event has a name. */
const NAMES = [...new Set(HOSTILE_NAMES)].filter(Boolean);
const CONFIG = { prefix: 'web/event={event}', layout: 'versioned', compression: null } as const;

const STORES = {
  async GCS() {
    const place = await makeGcsPlace(CONFIG);
    return { place, config: place.config, read: async (key: string) => (await place.at.read(key))!.toString() };
  },
  async AzureBlob() {
    const place = await makeAzurePlace(CONFIG);
    // Derived from the connection string.
    const { blob_endpoint: _, ...config } = place.config as Record<string, unknown>;
    const { client } = place.container;
    return { place, config, read: async (key: string) => String(await client.getBlobClient(key).downloadToBuffer()) };
  },
};

describe('an export with the event in its prefix', function () {
  this.timeout((2 * SECONDS + 10) * 1000);
  let world: Awaited<ReturnType<typeof buildExportWorld>>;
  before(async function () {
    await needsGcs(this);
    needsAzurite(this);
    world = await buildExportWorld();
    await world.startWorker();
    const start = Date.parse(HOUR.startAt);
    const events = NAMES.flatMap((event, n) =>
      Array.from({ length: 1 + (n % 3) }, () =>
        buildEvent({ event, timestamp: microseconds(new Date(start + n).toISOString()) }),
      ),
    );
    await world.store(events);
  });
  after(() => world?.close());

  for (const [type, make] of Object.entries(STORES)) {
    it(`delivers hostile names to folders of their own in ${type}, and delivers the same rows again`, async () => {
      const { place, config, read } = await make();
      const { id } = await world.batchExports.create(
        world.projectId,
        buildExport({ destination: { type, config }, paused: true }),
      );
      async function deliver() {
        const backfill = await world.backfills.request(world.projectId, id, HOUR);
        const run = (await runsAfterBackfill(world, id, backfill.id, SECONDS)).at(-1)!;
        assert.deepEqual([run.status, run.latestError], ['Completed', null]);
        assert.equal(await place.leftovers(), 0);
        return run.receipt!;
      }
      const { files = [], manifest, rows } = await deliver();
      assert.equal(
        rows,
        NAMES.reduce((sum, _, n) => sum + 1 + (n % 3), 0),
      );
      assert.deepEqual(files.map(({ event }) => event!).sort(), NAMES.toSorted());
      assert.deepEqual(Object.keys(await place.snapshot()).sort(), [...files.map(({ key }) => key), manifest!].sort());
      const folders = new Set<string>();
      for (const { key, event, rows: count } of files) {
        const [root, folder, name, ...more] = key.split('/');
        assert.deepEqual([root, more], ['web', []], key);
        assert.match(folder!, /^event=[^_.]/);
        assert.match(name!, /^20150517T100000Z-/);
        folders.add(folder!);
        const found = (await read(key)).trim().split('\n');
        const events = found.map((line) => (JSON.parse(line) as { event: string }).event);
        assert.deepEqual(
          events,
          Array.from({ length: count }, () => event),
          key,
        );
      }
      assert.equal(folders.size, NAMES.length);
      assert.match(manifest!, /^web\/event=__manifests__\/20150517T100000Z-/);
      const uuids = await place.read();
      assert.equal(uuids!.length, rows);

      const again = await deliver();
      assert.deepEqual(await place.read(), uuids);
      assert.deepEqual(
        again.files!.map(({ event, rows: count }) => [event, count]),
        files.map(({ event, rows: count }) => [event, count]),
      );
    });
  }
});
