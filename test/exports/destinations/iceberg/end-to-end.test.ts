/** An export to Iceberg from its creation over the API to the rows that another program reads. */
import assert from 'node:assert/strict';
import { runsAfterBackfill } from '../../../support/exports/export-world.ts';
import { makeIcebergPlace, type IcebergPlace } from '../../../support/exports/iceberg-place.ts';
import { needsPyiceberg, readByPyiceberg } from '../../../support/exports/iceberg-reader.ts';
import { startExportsApi, type ExportsApi } from '../../../support/api/exports-api.ts';
import { buildEvent, microseconds } from '../../../support/events/events.ts';
import { needsIcebergCatalog } from '../../../support/servers/iceberg-catalog.ts';
import { needsObjectStore } from '../../../support/servers/object-store.ts';

const RANGE = { start_at: '2015-05-17T10:00:00Z', end_at: '2015-05-17T13:00:00Z' };

/** The columns of the table, in the forms in which pyiceberg's rows are compared. */
const SOURCE = `
  select uuid::text, event, distinct_id, person_id::text, properties, person_properties, elements_chain,
    ${[
      'timestamp',
      'created_at',
      'inserted_at as _inserted_at',
      "date_trunc('hour', interval_time) as _sluice_interval_time",
    ]
      .map((column) => column.split(' as '))
      .map(
        ([sql, name = sql]) =>
          `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') || '+00:00' as "${name}"`,
      )
      .join(', ')},
    project_id as team_id, properties ->> '$ip' as ip, '' as site_url, properties -> '$set' as set, properties -> '$set_once' as set_once
  from events where project_id = $1 order by uuid`;
const JSON_COLUMNS = ['properties', 'person_properties', 'set', 'set_once'];

/** Rows as the source has them: JSON parsed, instants with microseconds. */
function comparable(row: Record<string, unknown>): Record<string, unknown> {
  const entries = Object.entries(row).map(([name, value]) => {
    if (typeof value !== 'string') return [name, value];
    if (JSON_COLUMNS.includes(name)) return [name, JSON.parse(value) as unknown];
    return [name, value.replace(/^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)(?=\+00:00$)/, '$1.000000')];
  });
  return Object.fromEntries(entries) as Record<string, unknown>;
}

describe('an export to Iceberg', () => {
  let exports: ExportsApi;
  let place: IcebergPlace;
  before(async function () {
    needsIcebergCatalog(this);
    needsPyiceberg(this);
    await needsObjectStore(this);
    [exports, place] = await Promise.all([startExportsApi(), makeIcebergPlace()]);
    await exports.world.startWorker();
    await exports.world.store(
      [3, 0, 4].flatMap((count, hour) =>
        Array.from({ length: count }, (_, number) =>
          buildEvent({
            timestamp: microseconds(`2015-05-17T${10 + hour}:30:00.12345${number}Z`),
            distinctId: `visitor ${number}`,
            event: number === 0 ? '$autocapture' : 'paid',
            elementsChain: number === 0 ? 'a:href="/"' : '',
            properties: `{"price":1.5,"name":"漢字 \\"é\\"","$ip":"10.0.0.${number}","$set":{"plan":"${number}"}}`,
          }),
        ),
      ),
    );
  });
  after(() => exports?.close());

  const bodyOf = (change: object = {}) => ({
    name: 'Lake',
    interval: 'hour',
    end_at: RANGE.end_at,
    destination: { type: 'Iceberg', config: place.config },
    ...change,
  });

  it('is refused with persons or sessions, by the field', async () => {
    for (const model of ['persons', 'sessions']) {
      for (const [path, change] of [
        ['/batch_exports/', {}],
        ['/batch_exports/run_test_step_new/', { step: 0 }],
      ] as const) {
        const { status, body } = await exports.request('POST', path, bodyOf({ model, ...change }));
        const { attr, detail } = body as { attr: string; detail: string };
        assert.deepEqual([status, attr], [400, 'model']);
        assert.match(detail, /^Apache Iceberg takes only events/);
      }
    }
  });

  it('delivers every row once, and a backfill again changes no row and no file', async () => {
    const stepsOf = async () => {
      const results = [];
      for (const step of place.destination.steps.keys()) {
        const { body } = await exports.request('POST', '/batch_exports/run_test_step_new/', bodyOf({ step }));
        results.push((body as { result: { status: string } }).result.status);
      }
      return results;
    };
    assert.deepEqual(await stepsOf(), ['Passed', 'Passed', 'Skipped', 'Skipped']);

    const created = await exports.request('POST', '/batch_exports/', bodyOf());
    assert.equal(created.status, 201, JSON.stringify(created.body));
    const { id, destination } = created.body as { id: string; destination: { config: object } };
    assert.ok(!('aws_secret_access_key' in destination.config) && !('token' in destination.config));
    async function deliver(): Promise<void> {
      const { status, body } = await exports.request('POST', `/batch_exports/${id}/backfills/`, RANGE);
      assert.equal(status, 201, JSON.stringify(body));
      const runs = await runsAfterBackfill(exports.world, id, (body as { backfill_id: string }).backfill_id);
      assert.deepEqual(new Set(runs.map((run) => run.latestError ?? run.status)), new Set(['Completed']));
      assert.ok(runs.every(({ verifiedAt }) => verifiedAt !== null));
    }
    await deliver();
    const { rows: source } = await exports.world.engine.pool.query<object>(SOURCE, [exports.world.projectId]);
    assert.equal(source.length, 7);
    const read = async () =>
      (await readByPyiceberg(place.server))
        .map(comparable)
        .sort((a, b) => (String(a['uuid']) < String(b['uuid']) ? -1 : 1));
    assert.deepEqual(
      await read(),
      source.map((row) => ({ ...row, _sluice_export: id })),
    );
    const files = await place.snapshot();
    await deliver();
    assert.deepEqual(await place.snapshot(), files);
    assert.equal((await read()).length, 7);
    assert.deepEqual(await stepsOf(), ['Passed', 'Passed', 'Passed', 'Passed']);
  });
});
