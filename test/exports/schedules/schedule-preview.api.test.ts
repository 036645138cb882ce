/** The next runs of a schedule that is not saved, on the clocks of its time zone. */
import assert from 'node:assert/strict';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Run = {
  data_interval_start: string;
  data_interval_end: string;
  local_start: string;
  local_end: string;
  clock_change_seconds: number;
};

const HOUR = 3_600_000;

describe('a preview of a schedule', () => {
  let exports: ExportsApi;
  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  async function preview(body: object): Promise<Run[]> {
    const answer = await exports.request('POST', '/batch_exports/schedule_preview/', body);
    assert.equal(answer.status, 200, JSON.stringify(answer.body));
    return (answer.body as { runs: Run[] }).runs;
  }

  it('of hours begins with the present hour', async () => {
    const before = Date.now();
    const runs = await preview({ interval: 'hour', count: 3 });
    assert.equal(runs.length, 3);
    const end = Date.parse(runs[0]!.data_interval_end);
    assert.ok(before <= end && end - before <= HOUR && end % HOUR === 0);
    assert.deepEqual(
      runs.map((run) => Date.parse(run.data_interval_end)),
      [end, end + HOUR, end + 2 * HOUR],
    );
    assert.deepEqual(
      runs.map((run) => Date.parse(run.data_interval_end) - Date.parse(run.data_interval_start)),
      [HOUR, HOUR, HOUR],
    );
  });

  it('of days marks those on which clocks change, which last 25 or 23 hours', async () => {
    const days = { interval: 'day', timezone: 'Europe/Berlin', count: 3 };
    const [, autumn, after] = await preview({ ...days, start_at: '2027-10-31T00:00:00+02:00' });
    assert.deepEqual(autumn, {
      data_interval_start: '2027-10-30T22:00:00.000000Z',
      data_interval_end: '2027-10-31T23:00:00.000000Z',
      local_start: '2027-10-31T00:00:00+02:00',
      local_end: '2027-11-01T00:00:00+01:00',
      clock_change_seconds: -3600,
    });
    assert.deepEqual([after?.local_end, after?.clock_change_seconds], ['2027-11-02T00:00:00+01:00', 0]);
    const [, spring] = await preview({ ...days, start_at: '2027-03-28T00:00:00+01:00' });
    assert.equal(spring?.clock_change_seconds, 3600);
    assert.equal(Date.parse(spring.data_interval_end) - Date.parse(spring.data_interval_start), 23 * HOUR);
  });

  it('has the intervals that the export would have', async () => {
    const schedule = { interval: 'week', timezone: 'America/St_Johns', offset_day: 3, offset_hour: 5 };
    const start_at = new Date(Date.now() - 40 * 24 * HOUR).toISOString();
    const [next] = await preview({ ...schedule, start_at, count: 1 });
    const wanted = {
      name: 'Weekly',
      paused: true,
      ...schedule,
      destination: { type: 'LocalFile', config: { directory: 'weekly' } },
    };
    const created = (await exports.request('POST', '/batch_exports/', wanted)).body as { id: string };
    await exports.db('batch_exports').where({ id: created.id }).update({ created_at: start_at });
    const map = await exports.request('GET', `/batch_exports/${created.id}/intervals/map/?start=${start_at}`);
    const { boundaries } = map.body as { boundaries: { start: string; step_seconds: number; count: number }[] };
    const last = boundaries.at(-1)!;
    const ended = Date.parse(last.start) + last.step_seconds * last.count * 1000;
    assert.equal(Date.parse(next!.data_interval_start), ended, 'it begins where the last interval of the map ended');
  });

  it('ends where the schedule ends', async () => {
    const days = { interval: 'day', start_at: '2030-01-01', end_at: '2030-01-03T12:00:00Z' };
    const runs = await preview({ ...days, count: 50 });
    assert.deepEqual(
      runs.map((run) => run.data_interval_end),
      ['2030-01-01T00:00:00.000000Z', '2030-01-02T00:00:00.000000Z', '2030-01-03T00:00:00.000000Z'],
    );
  });

  for (const [body, attr] of [
    [{ interval: 'fortnight' }, 'interval'],
    [{ interval: 'day', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ interval: 'hour', offset_hour: 3 }, 'offset_hour'],
    [{ interval: 'hour', count: 51 }, 'count'],
    [{ interval: 'hour', start_at: 'soon' }, 'start_at'],
    [{ interval: 'hour', start_at: '2030-01-02', end_at: '2030-01-01' }, 'end_at'],
  ] as const) {
    it(`is refused for ${JSON.stringify(body)}`, async () => {
      const { status, body: refusal } = await exports.request('POST', '/batch_exports/schedule_preview/', body);
      assert.deepEqual([status, (refusal as { attr: string }).attr], [400, attr]);
    });
  }
});
