/** Events of visitors without cookies, from the request to what is stored. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { post, startCapture, type CaptureAnswer, type CaptureServer } from '../../../support/events/capture.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database/database.ts';
import { buildTenant, type Tenant } from '../../../support/api/identity.ts';
import { until } from '../../../support/until.ts';

const NOBODY = '$posthog_cookieless';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0';
/** Properties that posthog-js sends of a page. */
const PAGE = {
  $cookieless_mode: true,
  $host: 'www.example.co.uk',
  $raw_user_agent: AGENT,
  $current_url: 'https://www.example.co.uk/',
};
const ADDRESS = '81.2.69.142';
const HOUR_MS = 3_600_000;

type Row = {
  event: string;
  distinct_id: string;
  properties: Record<string, unknown>;
  person_properties: object;
};

const locate = () => ({ $geoip_city_name: 'London' });
const viewOf = (properties: object = {}, more: object = {}) => ({
  event: '$pageview',
  distinct_id: NOBODY,
  properties: { ...PAGE, ...properties },
  ...more,
});

const rejectedIn = ({ body }: CaptureAnswer) =>
  (body['rejected'] as { index: number; code: string }[] | undefined)?.map(({ index, code }) => [index, code]);
const ago = (hours: number) => ({ timestamp: new Date(Date.now() - hours * HOUR_MS).toISOString() });

describe('events of visitors without cookies', () => {
  let database: TestDatabase;
  let server: CaptureServer;
  let tenant: Tenant;

  before(async () => {
    database = await createTestDatabase();
    server = await start();
  });
  after(async () => {
    await server.stop();
    await database.drop();
  });
  beforeEach(async () => void (tenant = await buildTenant(server.db, { cookieless: true })));

  /** Salts are looked up for each request: the tests end days. */
  const start = () =>
    startCapture(database.url, { trustedProxies: ['127.0.0.1'], salts: { rereadAfterMs: 0 }, locate });

  function send(
    events: object[],
    { from = ADDRESS, to = server, more = {}, path = '/e/' }: Sending = {},
  ): Promise<CaptureAnswer> {
    const body = { api_key: tenant.apiToken, batch: events, ...more };
    return post(`${to.url}${path}`, body, { 'X-Forwarded-For': from });
  }
  type Sending = { from?: string; to?: CaptureServer; more?: object; path?: string };

  async function rowsOf({ projectId }: Tenant): Promise<Row[]> {
    const { rows } = await server.pool.query<Row>(
      `select event, distinct_id, properties, person_properties from events where project_id = $1
       order by inserted_at, properties ->> 'n', uuid`,
      [projectId],
    );
    return rows;
  }

  /** The id that an event is stored under. */
  async function idOf(properties: object = {}, sending: Sending = {}): Promise<string> {
    const uuid = randomUUID();
    assert.deepEqual((await send([viewOf(properties, { uuid })], sending)).body, { status: 1 });
    const { rows } = await server.pool.query<Row>('select distinct_id from events where uuid = $1', [uuid]);
    return rows[0]!.distinct_id;
  }

  async function peopleOf({ projectId }: Tenant): Promise<unknown[]> {
    const { rows } = await server.pool.query(
      `select id::text from persons where project_id = $1
       union all select distinct_id from person_distinct_ids where project_id = $1`,
      [projectId],
    );
    return rows;
  }

  const codes = async () => (await server.warnings(tenant.projectId)).map(({ code, count }) => [code, count]);
  const salts = () => server.db<{ project_id: number; salt: Buffer; ends_at: string }>('cookieless_salts');
  const ofTenant = () => salts().where({ project_id: tenant.projectId }).orderBy('begins_at', 'desc').first();
  /** As if it had begun a day earlier. */
  const endDay = () =>
    server.db.raw(
      `update cookieless_salts set begins_at = begins_at - interval '1 day', ends_at = clock_timestamp() where project_id = ?`,
      [tenant.projectId],
    );
  const file = async () =>
    (await server.pool.query<{ path: string }>(`select pg_relation_filepath('cookieless_salts') as path`)).rows[0];

  describe('of a project that does not allow them', () => {
    beforeEach(async () => void (tenant = await buildTenant(server.db)));

    for (const path of ['/e/', '/capture/', '/track/', '/batch/', '/i/v0/e/', '/i/v0/ai/batch/', '/engage/']) {
      it(`are dropped at ${path}, and all others are stored`, async () => {
        const answer = await send([viewOf(), { event: 'e', distinct_id: 'ada' }, viewOf({}, { distinct_id: 'bob' })], {
          path,
        });
        assert.equal(answer.status, 200);
        const expected = [
          [0, 'cookieless_disabled'],
          [2, 'cookieless_disabled'],
        ];
        assert.deepEqual(rejectedIn(answer), expected);
        assert.deepEqual(
          (await rowsOf(tenant)).map((row) => row.distinct_id),
          ['ada'],
        );
        assert.deepEqual(await codes(), [['cookieless_disabled', 2]]);
      });
    }

    it('are dropped when they come in the query', async () => {
      const data = Buffer.from(JSON.stringify({ ...viewOf(), api_key: tenant.apiToken })).toString('base64');
      const answer = await fetch(`${server.url}/e/?data=${encodeURIComponent(data)}`);
      assert.equal(answer.status, 200);
      assert.deepEqual(await codes(), [['cookieless_disabled', 1]]);
      assert.deepEqual(await rowsOf(tenant), []);
    });

    it('are dropped with 200 when there are no others: the SDK has made no mistake', async () => {
      const answer = await send([viewOf()]);
      assert.deepEqual([answer.status, answer.body['status']], [200, 1]);
      const broken = await send([viewOf(), { event: '', distinct_id: 'ada' }]);
      assert.deepEqual([broken.status, broken.body['code']], [400, 'missing_event_name']);
      assert.deepEqual(await rowsOf(tenant), []);
    });

    const spellings: [string, object][] = [
      ['as $distinct_id', { event: 'e', $distinct_id: NOBODY }],
      ['among the properties', { event: 'e', properties: { distinct_id: NOBODY } }],
      ['with spaces around it', { event: 'e', distinct_id: ` ${NOBODY} ` }],
      ['with spaces up to where it is cut', { event: 'e', distinct_id: `${NOBODY.padEnd(200)}x` }],
    ];
    for (const [name, event] of spellings) {
      it(`are known by their distinct id ${name}, without any property`, async () => {
        assert.deepEqual(rejectedIn(await send([event])), [[0, 'cookieless_disabled']]);
        assert.deepEqual(await peopleOf(tenant), []);
      });
    }
  });

  describe('of a project that allows them', () => {
    it('are stored under an id of the day, without a person and without the facts that the id was made from', async () => {
      const event = viewOf(
        {
          distinct_id: NOBODY,
          $device_id: null,
          $ip: ADDRESS,
          $cookieless_extra: 'theme 7',
          $user_id: 'ada',
          $geoip_city_name: 'Paris',
          $set: { email: 'ada@example.com' },
          $set_once: { $initial_raw_user_agent: AGENT },
          $unset: ['plan'],
          $process_person_profile: true,
          $browser: 'Firefox',
        },
        { $set: { $raw_user_agent: AGENT }, $set_once: { a: 1 } },
      );
      assert.deepEqual((await send([event])).body, { status: 1 });
      const [row] = await rowsOf(tenant);
      const [, hash] = /^cookieless_([\w-]{22})$/.exec(row!.distinct_id)!;
      const { $session_id: session, ...properties } = row!.properties;
      assert.deepEqual(properties, {
        $cookieless_mode: true,
        $host: PAGE.$host,
        $current_url: PAGE.$current_url,
        $browser: 'Firefox',
        $device_id: `cookielessd_${hash}`,
        $process_person_profile: false,
      });
      assert.match(String(session), /^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      assert.deepEqual(row!.person_properties, {});
      assert.deepEqual(await peopleOf(tenant), []);
    });

    it('have one id and one session of the same visitor, on all pages of a site', async () => {
      const pages = ['www.example.co.uk', 'example.co.uk', 'SHOP.example.co.uk'];
      await send(pages.map(($host, n) => viewOf({ $host, n })));
      const rows = await rowsOf(tenant);
      assert.equal(rows.length, 3);
      assert.equal(new Set(rows.map((row) => row.distinct_id)).size, 1);
      assert.equal(new Set(rows.map((row) => row.properties['$session_id'])).size, 1);
    });

    it('have other ids of another address, browser, site or project, and where the page says more', async () => {
      const ids = [
        await idOf(),
        await idOf({}, { from: '81.2.69.143' }),
        await idOf({ $raw_user_agent: `${AGENT} ` }),
        await idOf({ $host: 'example.com' }),
        await idOf({ $host: 'example.co.uk:8080' }),
        await idOf({ $cookieless_extra: 'theme 7' }),
      ];
      const own = await idOf();
      tenant = await buildTenant(server.db, { cookieless: true });
      assert.equal(own, ids[0]);
      assert.equal(new Set([...ids, await idOf()]).size, 7);
    });

    it('are dropped if their visitors cannot be told apart', async () => {
      const { $host, $raw_user_agent, ...others } = PAGE;
      const answer = await send([
        { ...viewOf(), properties: { ...others, $raw_user_agent } },
        { ...viewOf(), properties: { ...others, $host } },
        viewOf({ $host: '' }),
        viewOf({ $raw_user_agent: 7 }),
      ]);
      assert.equal(answer.status, 200);
      const [host, agent] = ['cookieless_missing_host', 'cookieless_missing_user_agent'];
      assert.deepEqual(rejectedIn(answer), [
        [0, host],
        [1, agent],
        [2, host],
        [3, agent],
      ]);
    });

    it('are dropped when they choose an address: who may read events could try them all', async () => {
      const addresses = ['10.0.0.1', 'nonsense', 7, [ADDRESS], { toString: 1 }];
      const answer = await send(addresses.map(($ip) => viewOf({ $ip })));
      assert.deepEqual(
        rejectedIn(answer),
        addresses.map((_, index) => [index, 'cookieless_foreign_ip']),
      );
      assert.equal(await idOf({ $ip: ADDRESS }), await idOf({ $ip: null }));
    });

    it('are dropped when they identify a person', async () => {
      const events = ['$identify', '$create_alias', '$merge_dangerously', '$groupidentify', '$set'];
      const answer = await send(
        events.map((event) => viewOf({ $anon_distinct_id: NOBODY, alias: 'bob' }, { event, distinct_id: 'ada' })),
      );
      assert.deepEqual(
        rejectedIn(answer),
        events.map((_, index) => [index, 'cookieless_unsupported_event']),
      );
      const engaged = await send([{ distinct_id: NOBODY, $set: { a: 1 } }], { path: '/engage/' });
      assert.deepEqual(rejectedIn(engaged), [[0, 'cookieless_unsupported_event']]);
      assert.deepEqual(await peopleOf(tenant), []);
    });

    it('lose the distinct id that a page identified before', async () => {
      await send([viewOf({ n: 1 }), viewOf({ n: 2, $user_id: 'ada' }, { distinct_id: 'ada' })]);
      const [first, second] = await rowsOf(tenant);
      assert.equal(second!.distinct_id, first!.distinct_id);
      assert.ok(!JSON.stringify(second).includes('"ada"'));
    });

    it('may be a day late, and belong to the visitor of their arrival', async () => {
      const answer = await send([viewOf({ n: 1 }), viewOf({ n: 2 }, ago(23)), viewOf({ n: 3 }, ago(25))]);
      assert.deepEqual(rejectedIn(answer), [[2, 'cookieless_timestamp_out_of_range']]);
      const rows = await rowsOf(tenant);
      assert.equal(rows.length, 2);
      assert.equal(rows[0]!.distinct_id, rows[1]!.distinct_id);
    });

    it('are refused while it is unknown whether they are such events', async () => {
      for (const mode of ['yes', 'true', 1, 0, {}, []]) {
        const answer = await send([viewOf({ $cookieless_mode: mode }, { distinct_id: 'ada' })]);
        assert.deepEqual([answer.status, answer.body['code']], [400, 'invalid_cookieless_mode']);
      }
      assert.deepEqual(await rowsOf(tenant), []);
    });

    it('are dropped by the newer envelope while it is unknown whether they are such events', async () => {
      const uuids: string[] = [];
      const batch = ['yes', 'true', 1, 0, {}, []].flatMap((mode) => {
        const event = { event: 'e', distinct_id: 'ada' };
        const [first, second] = [randomUUID(), randomUUID()];
        uuids.push(first, second);
        return [
          { ...event, uuid: first, options: { cookieless_mode: mode } },
          { ...event, uuid: second, properties: { $cookieless_mode: mode } },
        ];
      });
      const headers = { Authorization: `Bearer ${tenant.apiToken}` };
      const { status, body } = await post(`${server.url}/i/v1/analytics/events`, { batch }, headers);
      const dropped = { result: 'drop', details: 'invalid_cookieless_mode' };
      assert.deepEqual([status, body], [200, { results: Object.fromEntries(uuids.map((uuid) => [uuid, dropped])) }]);
      assert.deepEqual(await rowsOf(tenant), []);
    });
  });

  it('are known by the options of the newer envelope', async () => {
    const { $cookieless_mode: _, ...properties } = PAGE;
    const uuid = randomUUID();
    const event = {
      uuid,
      event: 'e',
      distinct_id: 'ada',
      timestamp: new Date().toISOString(),
      options: { cookieless_mode: true },
      properties,
    };
    const sendTo = ({ apiToken }: Tenant) =>
      post(
        `${server.url}/i/v1/analytics/events`,
        { batch: [event] },
        { 'X-Forwarded-For': ADDRESS, Authorization: `Bearer ${apiToken}` },
      );
    const refused = await sendTo(await buildTenant(server.db));
    assert.deepEqual(refused.body, { results: { [uuid]: { result: 'drop', details: 'cookieless_disabled' } } });
    assert.deepEqual((await sendTo(tenant)).body, { results: { [uuid]: { result: 'ok' } } });
    const [row] = await rowsOf(tenant);
    assert.match(row!.distinct_id, /^cookieless_/);
    assert.ok(!JSON.stringify(row).includes('"ada"'));
  });

  describe('as history', () => {
    const more = { historical_migration: true };
    const timestamp = '2025-06-02T09:00:00Z';
    beforeEach(async () => {
      tenant = await buildTenant(server.db, { cookieless: true, historicalFromProjectKey: true });
    });

    it('are dropped: the salts of their days are gone', async () => {
      const answer = await send([viewOf({}, { timestamp })], { more });
      assert.deepEqual(rejectedIn(answer), [[0, 'cookieless_historical']]);
      assert.deepEqual(await codes(), [['cookieless_historical', 1]]);
    });

    it('keep ids that were made elsewhere, and lose the facts that those were made from', async () => {
      const distinct_id = 'cookieless_jZfBjkLcdjlQTVmIKIhC3Q';
      const old = viewOf({ $ip: ADDRESS, $set: { a: 1 } }, { distinct_id, timestamp });
      assert.deepEqual((await send([old], { more })).body, { status: 1 });
      const [row] = await rowsOf(tenant);
      const { $raw_user_agent: _, ...kept } = PAGE;
      assert.deepEqual([row!.distinct_id, row!.properties], [distinct_id, { ...kept, $process_person_profile: false }]);
      assert.deepEqual(await peopleOf(tenant), []);
    });
  });

  it('are not merged with other persons by visitors with cookies', async () => {
    const hashed = await idOf();
    const merges = [NOBODY, ` ${NOBODY}`, hashed].flatMap((id) => [
      { event: '$identify', distinct_id: 'ada', properties: { $anon_distinct_id: id } },
      { event: '$create_alias', distinct_id: 'ada', properties: { alias: id } },
      { event: '$merge_dangerously', distinct_id: 'ada', properties: { alias: id } },
    ]);
    assert.deepEqual((await send(merges)).body, { status: 1 });
    const { rows } = await server.pool.query('select distinct_id from person_distinct_ids where project_id = $1', [
      tenant.projectId,
    ]);
    assert.deepEqual(rows, [{ distinct_id: 'ada' }]);
    assert.deepEqual(await codes(), [['cannot_merge_with_illegal_distinct_id', merges.length]]);
  });

  it('are made no person by those who read their ids', async () => {
    const hashed = await idOf();
    const set = { $set: { email: 'who@x.example' } };
    for (const event of ['e', '$set', '$identify']) {
      assert.equal((await send([{ event, distinct_id: hashed, properties: set }])).status, 200);
    }
    assert.deepEqual(await peopleOf(tenant), []);
    assert.equal(await idOf(), hashed);
    assert.deepEqual(
      (await rowsOf(tenant)).map((row) => row.person_properties).filter((given) => Object.keys(given ?? {}).length > 0),
      [],
    );
  });

  describe('and the salt of their day', () => {
    it('is another one on the next day, and with it the id', async () => {
      const first = await idOf();
      const { salt } = (await ofTenant())!;
      await endDay();
      assert.notEqual(await idOf(), first);
      assert.notDeepEqual((await ofTenant())!.salt, salt);
    });

    it('leaves the table and its file once the day has passed, while those of others stay', async () => {
      await idOf();
      const mine = tenant;
      tenant = await buildTenant(server.db, { cookieless: true });
      await idOf();
      const theirs = await ofTenant();
      tenant = mine;
      await endDay();
      const before = await file();
      await server.pool.query('select forget_cookieless_salts()');
      assert.equal(await ofTenant(), undefined);
      tenant = { ...tenant, projectId: theirs!.project_id };
      assert.deepEqual(await ofTenant(), theirs);
      assert.notDeepEqual(await file(), before);
    });

    it('is forgotten even if no more visitors come', async () => {
      await idOf();
      const other = await startCapture(database.url, { salts: { forgetEveryMs: 20 } });
      await endDay();
      await until('it to be forgotten', async () => (await ofTenant()) === undefined);
      await other.stop();
      assert.equal(await ofTenant(), undefined);
    });

    it('is made and read while somebody dumps the database, and forgotten after that', async () => {
      await idOf();
      await endDay();
      const dump = await server.pool.connect();
      await dump.query('begin; lock table cookieless_salts in access share mode');
      try {
        await assert.rejects(server.pool.query('select forget_cookieless_salts()'), /lock timeout/);
        assert.equal(await idOf(), await idOf());
      } finally {
        await dump.query('rollback');
        dump.release();
      }
      await server.pool.query('select forget_cookieless_salts()');
      assert.equal((await salts().where({ project_id: tenant.projectId })).length, 1);
    });

    it('is that in memory while Postgres says nothing about it', async () => {
      const known = await idOf();
      const silent = await server.pool.connect();
      await silent.query('begin; lock table cookieless_salts in access exclusive mode');
      try {
        assert.equal(await idOf(), known);
      } finally {
        await silent.query('rollback');
        silent.release();
      }
    });

    it('is one for all processes, however many ask first', async () => {
      const others = await Promise.all([start(), start()]);
      const all = [server, ...others];
      const sending = Array.from({ length: 30 }, (_, n) => send([viewOf({ n })], { to: all[n % all.length]! }));
      for (const { body } of await Promise.all(sending)) assert.deepEqual(body, { status: 1 });
      await Promise.all(others.map((one) => one.stop()));
      const ids = new Set((await rowsOf(tenant)).map((row) => row.distinct_id));
      assert.equal(ids.size, 1);
    });

    it('is a new one after a crash, which empties what is not logged', async () => {
      const { rows } = await server.pool.query(
        `select relpersistence from pg_class where oid = 'cookieless_salts'::regclass`,
      );
      assert.deepEqual(rows, [{ relpersistence: 'u' }]);
      const first = await idOf();
      await server.pool.query('truncate cookieless_salts');
      const second = await idOf();
      assert.notEqual(second, first);
      assert.equal(await idOf(), second);
    });

    it("lasts until midnight on the project's clocks", async () => {
      for (const [timezone, clock] of [
        ['Pacific/Auckland', 'Pacific/Auckland'],
        ['America/Los_Angeles', 'America/Los_Angeles'],
        ['Nowhere/Unknown', 'UTC'],
      ] as const) {
        tenant = await buildTenant(server.db, { cookieless: true });
        await server.db('projects').where({ id: tenant.projectId }).update({ timezone });
        await idOf();
        const { ends_at: end } = (await ofTenant())!;
        const local = new Intl.DateTimeFormat('en-GB', { timeZone: clock, timeStyle: 'medium' });
        assert.equal(local.format(new Date(end)), '00:00:00', timezone);
        const hours = (Date.parse(end) - Date.now()) / HOUR_MS;
        assert.ok(hours > 0 && hours <= 25, `${hours} hours`);
      }
    });

    it('is in no log', async () => {
      await idOf();
      const { salt } = (await ofTenant())!;
      assert.equal(salt.length, 32);
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        assert.ok(!server.logged().includes(salt.toString(encoding)));
      }
    });
  });
});
