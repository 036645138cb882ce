import assert from 'node:assert/strict';
import { startExportsApi, type ExportsApi } from '../../support/api/exports-api.ts';

type Body = Record<string, unknown>;

const destination = () => ({ type: 'LocalFile', config: { directory: crypto.randomUUID() } });
const schedule = ({ interval, timezone, offset_day, offset_hour, jitter_seconds }: Body) => ({
  interval,
  timezone,
  offset_day,
  offset_hour,
  jitter_seconds,
});

describe('when a batch export runs, over HTTP', () => {
  let exports: ExportsApi;
  const request: ExportsApi['request'] = (...args) => exports.request(...args);
  const create = async (fields: Body) => {
    const body = { name: 'Nightly', destination: destination(), paused: true, ...fields };
    const answer = await request('POST', '/batch_exports/', body);
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    return answer.body as Body & { id: string };
  };

  before(async () => {
    exports = await startExportsApi();
  });
  after(() => exports.close());

  const nowhere = { timezone: 'UTC', offset_day: null, offset_hour: null, jitter_seconds: 0 };
  const created: { given: Body; said: Body }[] = [
    { given: { interval: 'hour' }, said: nowhere },
    {
      given: { interval: 'every 15 minutes', timezone: 'Asia/Kolkata' },
      said: { ...nowhere, timezone: 'Asia/Kolkata' },
    },
    { given: { interval: 'day' }, said: { ...nowhere, offset_hour: 0 } },
    {
      given: { interval: 'day', timezone: null, offset_hour: null, offset_day: null, jitter_seconds: null },
      said: { ...nowhere, offset_hour: 0 },
    },
    { given: { interval: 'week' }, said: { ...nowhere, offset_day: 0, offset_hour: 0 } },
    {
      given: { interval: 'week', timezone: 'Europe/Berlin', offset_day: 1, offset_hour: 6, jitter_seconds: 60 },
      said: { timezone: 'Europe/Berlin', offset_day: 1, offset_hour: 6, jitter_seconds: 60 },
    },
    { given: { interval: 'month', offset_hour: 23 }, said: { ...nowhere, offset_hour: 23 } },
  ];
  for (const { given, said } of created) {
    it(`is what was wanted: ${JSON.stringify(given)}`, async () => {
      const body = await create(given);
      assert.deepEqual(schedule(body), { interval: given['interval'], ...said });
      assert.deepEqual((await request('GET', `/batch_exports/${body.id}/`)).body, body);
    });
  }

  const weekly = { interval: 'week', timezone: 'Europe/Berlin', offset_day: 3, offset_hour: 5, jitter_seconds: 9 };
  const changes: { what: string; change: Body; expected: Body }[] = [
    { what: 'what is left out stays', change: { name: 'New' }, expected: {} },
    {
      what: 'null is the default',
      change: { timezone: null, offset_day: null, jitter_seconds: null },
      expected: { timezone: 'UTC', offset_day: 0, jitter_seconds: 0 },
    },
    { what: 'an offset alone is enough', change: { offset_hour: 0 }, expected: { offset_hour: 0 } },
    {
      what: 'hours forget the offsets and keep the zone',
      change: { interval: 'hour' },
      expected: { interval: 'hour', offset_day: null, offset_hour: null },
    },
    { what: 'days keep the hour', change: { interval: 'day' }, expected: { interval: 'day', offset_day: null } },
  ];
  for (const method of ['PATCH', 'PUT']) {
    for (const { what, change, expected } of changes) {
      it(`is changed by ${method}: ${what}`, async () => {
        const { id, ...before } = await create(weekly);
        // A PUT has to say the name, the destination and the interval, whatever else it says.
        const whole = { name: before['name'], destination: before['destination'], interval: 'week', ...change };
        const { status, body } = await request(method, `/batch_exports/${id}/`, method === 'PUT' ? whole : change);
        assert.equal(status, 200, JSON.stringify(body));
        assert.deepEqual(schedule(body as Body), { ...weekly, ...expected });
      });
    }
  }

  const refused: { change: Body; attr: string }[] = [
    { change: { interval: 'day', offset_day: 1 }, attr: 'offset_day' },
    { change: { interval: 'hour', offset_hour: 1 }, attr: 'offset_hour' },
    { change: { interval: null }, attr: 'interval' },
    { change: { timezone: 'Nowhere' }, attr: 'timezone' },
    { change: { offset_hour: 24 }, attr: 'offset_hour' },
  ];
  for (const { change, attr } of refused) {
    it(`stays when a change is refused: ${JSON.stringify(change)}`, async () => {
      const before = await create(weekly);
      const { status, body } = await request('PATCH', `/batch_exports/${before.id}/`, change);
      assert.deepEqual([status, (body as Body)['attr']], [400, attr]);
      assert.deepEqual((await request('GET', `/batch_exports/${before.id}/`)).body, before);
    });
  }

  it('is changed as a whole by PUT, which merges the configuration and keeps the bounds', async () => {
    const { id, ...before } = await create({ ...weekly, end_at: '2035-01-01T00:00:00Z' });
    const path = `/batch_exports/${id}/`;
    const whole = {
      name: 'Whole',
      interval: 'day',
      destination: { type: 'LocalFile', config: { compression: 'gzip' } },
    };
    for (const name of Object.keys(whole)) {
      const { [name as keyof typeof whole]: _, ...rest } = whole;
      const { status, body } = await request('PUT', path, rest);
      assert.deepEqual([status, (body as Body)['code'], (body as Body)['attr']], [400, 'required', name]);
    }
    const { status, body } = await request('PUT', path, whole);
    assert.equal(status, 200, JSON.stringify(body));
    const { config } = (body as { destination: { config: Body } }).destination;
    assert.equal(config['directory'], (before['destination'] as { config: Body }).config['directory']);
    assert.equal(config['compression'], 'gzip');
    assert.deepEqual([(body as Body)['name'], (body as Body)['end_at']], ['Whole', before['end_at']]);
    const tag = { 'If-Match': 'W/"1"' };
    assert.equal((await request('PUT', path, whole, tag)).status, 412);
    assert.equal((await request('PUT', `/batch_exports/${crypto.randomUUID()}/`, whole)).status, 404);
  });
});
