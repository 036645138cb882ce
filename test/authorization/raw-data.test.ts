/**
 * Every way to rows of events, values of their properties, and columns of persons, beside exports: by whom it is open. One event says
 * `of-event`, its person `of-person`; whoever gets a way's text was shown it.
 */
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { buildPersonalKey, buildProjectSecretKey, buildSession } from '../support/api/identity.ts';
import { buildMember, buildRole, buildRule, type Member } from '../support/api/members.ts';
import { startSharedWorld, type Json, type SharedWorld } from '../support/servers/shared-world.ts';

const EVENTS = { kind: 'EventsNode', event: 'paid' };
const dateRange = { date_from: '-3d' };
const trends = (more: Json, series: Json = {}) => ({
  kind: 'TrendsQuery',
  series: [{ ...EVENTS, ...series }],
  dateRange,
  ...more,
});
const rows = (...select: string[]) => ({ kind: 'EventsQuery', select, after: '-3d' });
const breakdown = (type: string, property: string) =>
  trends({ breakdownFilter: { breakdown: property, breakdown_type: type } });
const largest = (owner: string, property: string) =>
  trends(
    { trendsFilter: { display: 'BoldNumber' } },
    { math: 'max', math_property: property, math_property_type: owner },
  );
const filter = (type: string, key: string, value: string) => ({ type, key, value, operator: 'exact' });
const measured = (...properties: object[]) => ({
  kind: 'ExperimentMetric',
  metric_type: 'funnel',
  series: [{ ...EVENTS, properties }],
});
const experiment = (key: string, ...metrics: object[]) => ({ name: key, feature_flag_key: key, metrics });
const cohort = (...values: object[]) => ({ name: 'Some', filters: { properties: { type: 'AND', values } } });

/** The marks that each question shows, and of which kinds they are. */
const QUESTIONS = {
  'a column of a property': { query: rows('properties.plan'), marks: ['of-event'], kinds: ['event'] },
  'whole rows': { query: rows('*'), marks: ['of-event'], kinds: ['event'] },
  'rows with persons': { query: rows('event', 'person'), marks: ['of-person'], kinds: ['event', 'person'] },
  'rows with a property of the person': {
    query: rows('person.properties.email -- Mail'),
    marks: ['of-person'],
    kinds: ['event', 'person'],
  },
  'rows sorted by a property of the person': {
    query: { ...rows('event'), orderBy: ['person.properties.email'] },
    marks: ['paid'],
    kinds: ['event', 'person'],
  },
  'a breakdown by a property': { query: breakdown('event', 'plan'), marks: ['of-event'], kinds: ['event'] },
  'a breakdown by a property of the person': {
    query: breakdown('person', 'email'),
    marks: ['of-person'],
    kinds: ['person'],
  },
  'the largest number': { query: largest('event_properties', 'price'), marks: ['4711'], kinds: ['event'] },
  'the largest number of a person': { query: largest('person_properties', 'age'), marks: ['4242'], kinds: ['person'] },
} as const;

/** Only counts: shown to everybody who may see insights. */
const COUNTS = {
  trends: trends({}),
  funnel: { kind: 'FunnelsQuery', series: [EVENTS, EVENTS], dateRange },
  retention: { kind: 'RetentionQuery', retentionFilter: { targetEntity: { id: 'paid' } }, dateRange },
} as const;

type Kind = 'event' | 'person';
type Way = { scopes: string[]; ask(query: object, key: string): Promise<string> };

const shows = (text: string, marks: readonly string[]) => marks.every((mark) => text.includes(mark));
const resultsIn = (stream: string) => [...stream.matchAll(/"result":.*?"columns"/g)].join('');
const narrowing = (kind: Kind) => ({ properties: [filter(kind, 'plan', 'of-event')] });
const tilesOf = ({ tiles }: Json) => (tiles as { insight: Json }[]).map(({ insight }) => insight);

describe('rows, values and persons', () => {
  let world: SharedWorld;
  let admin: Member;
  let path: string;
  const insights = new Map<object, number>();
  let dashboard: number;

  before(async () => {
    world = await startSharedWorld();
    const { db } = world.sluice;
    path = `/api/projects/${world.ours.projectId}`;
    admin = await buildMember(db, world.ours, 'admin');
    const answer = await fetch(`${world.sluice.url}/capture/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        api_key: world.ours.apiToken,
        event: 'paid',
        distinct_id: 'ada',
        properties: { plan: 'of-event', price: 4711, $set: { email: 'of-person', age: 4242 } },
      }),
    });
    assert.equal(answer.status, 200);
    dashboard = await world.buildDashboard();
    for (const query of [...Object.values(QUESTIONS).map((one) => one.query), ...Object.values(COUNTS)]) {
      const insight = await world.buildInsight({ query, created_by: admin.userId });
      insights.set(query, insight);
      await world.buildTile(dashboard, { insight_id: insight });
    }
    // Computed for somebody who may see all: what is shown to others comes out of the cache.
    const shown = await readText('GET', `${path}/dashboards/${dashboard}/?refresh=force_blocking`, admin.key);
    assert.match(shown, /of-event.*of-person/s);
  });
  after(() => world.stop());
  afterEach(() => world.sluice.db('access_controls').delete());

  async function readText(
    method: string,
    address: string,
    key: string,
    body?: object,
    session?: object,
  ): Promise<string> {
    const answer = await fetch(world.sluice.url + address, {
      method,
      headers: {
        ...(session ?? { ...(key && { Authorization: `Bearer ${key}` }) }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok([200, 403].includes(answer.status), `${answer.status} ${text}`);
    if (answer.status === 403) return '';
    return text;
  }

  /** A tile's or list item's own part: the questions stand beside each other there. */
  const ofInsight = (text: string, query: object, at: (body: Json) => Json[]) => {
    if (text === '') return '';
    const own = at(JSON.parse(text) as Json).find(({ id }) => id === insights.get(query));
    return JSON.stringify(own?.['result'] ?? null);
  };

  const WAYS: Record<string, Way> = {
    'POST /query/': {
      scopes: ['query:read'],
      ask: (query, key) => readText('POST', `${path}/query/`, key, { query }),
    },
    'GET /insights/:id/': {
      scopes: ['insight:read'],
      ask: async (query, key) => {
        const text = await readText('GET', `${path}/insights/${insights.get(query)}/?refresh=force_cache`, key);
        return text && JSON.stringify((JSON.parse(text) as Json)['result']);
      },
    },
    'GET /insights/:id/ computed anew': {
      scopes: ['insight:read'],
      ask: async (query, key) => {
        const text = await readText('GET', `${path}/insights/${insights.get(query)}/?refresh=force_blocking`, key);
        return text && JSON.stringify((JSON.parse(text) as Json)['result']);
      },
    },
    'GET /insights/': {
      scopes: ['insight:read'],
      ask: async (query, key) =>
        ofInsight(await readText('GET', `${path}/insights/`, key), query, ({ results }) => results as Json[]),
    },
    'GET /dashboards/:id/': {
      scopes: ['dashboard:read'],
      ask: async (query, key) =>
        ofInsight(await readText('GET', `${path}/dashboards/${dashboard}/?refresh=force_cache`, key), query, tilesOf),
    },
    'PATCH /dashboards/:id/': {
      scopes: ['dashboard:write'],
      ask: async (query, key) =>
        ofInsight(await readText('PATCH', `${path}/dashboards/${dashboard}/`, key, { pinned: true }), query, tilesOf),
    },
    'GET /dashboards/:id/run_insights/': {
      scopes: ['query:read'],
      ask: async (query, key) =>
        ofInsight(
          await readText('GET', `${path}/dashboards/${dashboard}/run_insights/?refresh=force_cache`, key),
          query,
          ({ results }) => (results as (Json & { insight: Json })[]).map((one) => ({ ...one, id: one.insight['id'] })),
        ),
    },
  };

  async function assertShown(
    way: Way,
    key: string,
    may: (kinds: readonly Kind[]) => boolean,
    questions: [string, (typeof QUESTIONS)[keyof typeof QUESTIONS]][],
  ): Promise<void> {
    for (const [question, { query, marks, kinds }] of questions) {
      assert.equal(shows(await way.ask(query, key), marks), may(kinds), question);
    }
  }
  const ALL = Object.entries(QUESTIONS);

  for (const [name, way] of Object.entries(WAYS)) {
    describe(`by ${name}`, () => {
      it('are not shown to members who are kept from events, persons, or both', async () => {
        const { db } = world.sluice;
        const [noEvents, noPersons, neither] = [
          await buildMember(db, world.ours),
          await buildMember(db, world.ours),
          await buildMember(db, world.ours),
        ];
        const role = await buildRole(db, world.ours, neither);
        await buildRule(db, world.ours, 'none', { resource: 'event', membership_id: noEvents.membershipId });
        await buildRule(db, world.ours, 'none', { resource: 'person', membership_id: noPersons.membershipId });
        await buildRule(db, world.ours, 'none', { resource: 'event', role_id: role });
        await buildRule(db, world.ours, 'none', { resource: 'person', role_id: role });
        await assertShown(way, noEvents.key, (kinds) => !kinds.includes('event'), ALL);
        await assertShown(way, noPersons.key, (kinds) => !kinds.includes('person'), ALL);
        await assertShown(way, neither.key, () => false, ALL);
        for (const query of Object.values(COUNTS)) assert.match(await way.ask(query, neither.key), /1/);
      });

      it('are not shown to keys without the scope', async () => {
        const { db } = world.sluice;
        for (const keyWith of [
          (...scopes: string[]) => buildPersonalKey(db, world.ours, ...scopes),
          (...scopes: string[]) => buildProjectSecretKey(db, world.ours, ...scopes),
        ]) {
          const asks = way.scopes.includes('query:read');
          await assertShown(way, await keyWith(...way.scopes), (kinds) => asks && !kinds.includes('person'), ALL);
          const events = await keyWith(...way.scopes, 'event:read');
          await assertShown(way, events, (kinds) => !kinds.includes('person'), ALL);
          const persons = await keyWith(...way.scopes, 'person:read');
          await assertShown(way, persons, (kinds) => asks || !kinds.includes('event'), ALL);
          const both = await keyWith(...way.scopes, 'query:read', 'person:write');
          await assertShown(way, both, () => true, ALL);
        }
      });

      it('are shown to others', async () => {
        const { db } = world.sluice;
        const keys = [admin.key, world.key, await buildProjectSecretKey(db, world.ours, '*')];
        await buildRule(db, world.ours, 'viewer', { resource: 'event' });
        for (const key of keys) await assertShown(way, key, () => true, ALL);
      });
    });
  }

  it('are not sent by a dashboard tile by tile', async () => {
    const { db } = world.sluice;
    const member = await buildMember(db, world.ours);
    const address = `${path}/dashboards/${dashboard}/stream_tiles/?refresh=force_cache`;
    const stream = async () => readText('GET', address, '', undefined, await buildSession(db, member));
    assert.match(resultsIn(await stream()), /of-event.*of-person/s);
    await buildRule(db, world.ours, 'none', { resource: 'event', membership_id: member.membershipId });
    await buildRule(db, world.ours, 'none', { resource: 'person', membership_id: member.membershipId });
    assert.doesNotMatch(resultsIn(await stream()), /of-event|of-person|4711|4242/);
  });

  it('say in the place of a result why there is none', async () => {
    const key = await buildPersonalKey(world.sluice.db, world.ours, 'insight:read');
    const id = insights.get(QUESTIONS['whole rows'].query);
    const text = await readText('GET', `${path}/insights/${id}/`, key);
    const { result, error } = JSON.parse(text) as Json;
    const message = "API key missing required scope 'event:read'";
    assert.deepEqual([result, error], [null, { type: 'permission_denied', message }]);
  });

  it('are no columns of events for who may not see persons', async () => {
    const { db } = world.sluice;
    const key = await buildPersonalKey(db, world.ours, 'event:read');
    const page = JSON.parse(await readText('GET', `${path}/events/`, key)) as { results: Json[] };
    assert.equal(page.results[0]!['distinct_id'], 'ada');
    assert.equal('person_properties' in page.results[0]!, false);
    const one = await readText('GET', `${path}/events/${String(page.results[0]!['id'])}/`, key);
    assert.equal('person_properties' in (JSON.parse(one) as Json), false);
    const member = await buildMember(db, world.ours);
    assert.match(await readText('GET', `${path}/events/`, member.key), /"person_properties":\{[^}]*of-person/);
    await buildRule(db, world.ours, 'none', { resource: 'person', membership_id: member.membershipId });
    assert.doesNotMatch(await readText('GET', `${path}/events/`, member.key), /"person_properties"/);
  });

  it('are not listed by a cohort for who may not see persons', async () => {
    const { db } = world.sluice;
    const made = await world.request('POST', '/cohorts/', { name: 'List', is_static: true }, { key: admin.key });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const persons = `/cohorts/${String((made.body as Json)['id'])}/persons/`;
    const status = async (key: string) => (await world.request('GET', persons, undefined, { key })).status;
    assert.equal(await status(await buildPersonalKey(db, world.ours, 'cohort:read')), 403);
    assert.equal(await status(await buildPersonalKey(db, world.ours, 'cohort:read', 'person:read')), 200);
    const member = await buildMember(db, world.ours);
    assert.equal(await status(member.key), 200);
    await buildRule(db, world.ours, 'none', { resource: 'person', membership_id: member.membershipId });
    assert.equal(await status(member.key), 403);
  });

  /** Counts, which the caller narrows down by values that they may not see. */
  const NARROWED: [string, Kind, object][] = [
    ['a filter by a property', 'event', trends({ properties: [filter('event', 'plan', 'of-event')] })],
    ['a filter by a property of the person', 'person', trends({ properties: [filter('person', 'email', 'x')] })],
    ['a filter of a series', 'event', trends({}, { properties: [filter('event', 'plan', 'of-event')] })],
    ['an expression', 'person', trends({ properties: [{ type: 'hogql', key: "person.properties.email = 'x'" }] })],
    ['a sum', 'event', trends({}, { math: 'sum', math_property: 'price' })],
    [
      'a step of a funnel',
      'person',
      {
        kind: 'FunnelsQuery',
        series: [EVENTS, { ...EVENTS, properties: [filter('person', 'email', 'x')] }],
        dateRange,
      },
    ],
    [
      'what persons come back for',
      'event',
      {
        kind: 'RetentionQuery',
        dateRange,
        retentionFilter: { returningEntity: { id: 'paid', properties: [filter('event', 'plan', 'x')] } },
      },
    ],
  ];

  describe('are not guessed by those who are kept from them', () => {
    let member: Member;
    const status = async (method: string, at: string, body?: object) =>
      (await world.request(method, at, body, { key: member.key })).status;

    const made = async (at: string, body: object) => {
      const answer = await world.request('POST', at, body, { key: member.key });
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      return answer.body as Json;
    };

    beforeEach(async () => {
      member = await buildMember(world.sluice.db, world.ours);
    });
    const close = (kind: Kind) =>
      buildRule(world.sluice.db, world.ours, 'none', { resource: kind, membership_id: member.membershipId });

    for (const [name, kind, query] of NARROWED) {
      it(`through ${name}`, async () => {
        assert.equal(await status('POST', '/query/', { query }), 200);
        assert.equal(await status('POST', '/insights/', { query }), 201);
        await close(kind);
        assert.equal(await status('POST', '/query/', { query }), 403);
        assert.equal(await status('POST', '/insights/', { query }), 403);
        const tiles = [{ insight: { query } }];
        assert.equal(await status('POST', '/dashboards/', { name: 'New', tiles }), 403);
      });
    }

    for (const kind of ['event', 'person'] as const) {
      it(`through filters over dashboards and insights, by a property of the ${kind}`, async () => {
        const mine = await world.buildDashboard({ created_by: member.userId });
        const insight = await world.buildInsight({ query: COUNTS.trends, created_by: member.userId });
        const override = `filters_override=${encodeURIComponent(JSON.stringify(narrowing(kind)))}`;
        const ofTile = `tile_${override}`;
        const requests: [string, string, object?][] = [
          ['POST', '/query/', { query: COUNTS.trends, filters_override: narrowing(kind) }],
          ['GET', `/insights/${insight}/?${override}`],
          ['GET', `/dashboards/${mine}/?${override}`],
          ['GET', `/dashboards/${mine}/?${ofTile}`],
          ['GET', `/dashboards/${mine}/run_insights/?${override}`],
          ['PATCH', `/insights/${insight}/`, { query: trends(narrowing(kind)) }],
          ['PATCH', `/dashboards/${mine}/`, { filters: narrowing(kind) }],
          ['PATCH', `/dashboards/${mine}/`, { tiles: [{ insight, filters_overrides: narrowing(kind) }] }],
          ['POST', '/dashboards/', { name: 'New', filters: narrowing(kind) }],
        ];
        await close(kind);
        for (const [method, at, body] of requests) assert.equal(await status(method, at, body), 403, `${method} ${at}`);
        assert.equal(await status('PATCH', `/insights/${insight}/`, { name: 'Renamed' }), 200);
      });
    }

    for (const kind of ['event', 'person'] as const) {
      it(`through a template that they bring, by a property of the ${kind}`, async () => {
        const session = await buildSession(world.sluice.db, member);
        const made = async (template: object) => {
          const at = `${path}/dashboards/create_from_template_json/`;
          return (await readText('POST', at, '', { template: { template_name: 'Mine', ...template } }, session)) !== '';
        };
        const tile = { type: 'INSIGHT', query: trends(narrowing(kind)) };
        const plain = { type: 'INSIGHT', query: COUNTS.trends };
        assert.ok(await made({ tiles: [tile], dashboard_filters: narrowing(kind) }));
        await close(kind);
        assert.ok(!(await made({ tiles: [tile] })));
        assert.ok(!(await made({ tiles: [plain], dashboard_filters: narrowing(kind) })));
        assert.ok(await made({ tiles: [plain] }));
        assert.equal(await status('POST', '/dashboards/', { name: 'Ours', use_template: 'WEBSITE_TRAFFIC' }), 201);
      });

      it(`through breakdowns over dashboards and insights, by a property of the ${kind}`, async () => {
        const mine = await world.buildDashboard({ created_by: member.userId });
        const insight = await world.buildInsight({ query: COUNTS.trends, created_by: member.userId });
        const breakdowns = { breakdown_filter: { breakdown: 'email', breakdown_type: kind } };
        const override = `filters_override=${encodeURIComponent(JSON.stringify(breakdowns))}`;
        const requests: [string, string, object?][] = [
          ['GET', `/insights/${insight}/?${override}`],
          ['GET', `/dashboards/${mine}/?tile_${override}`],
          ['PATCH', `/dashboards/${mine}/`, { filters: breakdowns }],
          ['PATCH', `/dashboards/${mine}/`, { filters: { ...breakdowns, properties: 'unreadable' } }],
          ['PATCH', `/dashboards/${mine}/`, { tiles: [{ insight, filters_overrides: breakdowns }] }],
        ];
        await close(kind);
        for (const [method, at, body] of requests) assert.equal(await status(method, at, body), 403, `${method} ${at}`);
      });
    }

    it('by how many persons conditions, cohorts and experiments are about', async () => {
      const city = filter('person', 'city', 'London');
      const { id, filters } = await made('/cohorts/', cohort(city));
      const before = await made('/experiments/', experiment('before', measured(city)));
      const { metrics } = before as { metrics: object[] };
      const at = { cohort: `/cohorts/${String(id)}/`, experiment: `/experiments/${String(before['id'])}/` };
      const other = filter('person', 'city', 'Paris');
      await close('person');
      for (const [method, path, body] of [
        ['POST', '/feature_flags/user_blast_radius/', { condition: { properties: [city] } }],
        ['POST', '/cohorts/', cohort(city)],
        ['PATCH', at.cohort, { filters: cohort(other).filters }],
        ['POST', '/experiments/', experiment('after', measured(city))],
        ['PATCH', at.experiment, { metrics: [measured(other)] }],
        ['PATCH', at.experiment, { metrics_secondary: [measured(other)] }],
      ] as const) {
        assert.equal(await status(method, path, body), 403, `${method} ${path}`);
      }
      const inCohort = { properties: [{ type: 'cohort', key: 'id', value: id }] };
      assert.equal(await status('POST', '/feature_flags/user_blast_radius/', { condition: inCohort }), 200);
      assert.equal(await status('PATCH', at.cohort, { name: 'Renamed', filters }), 200);
      assert.equal(await status('PATCH', at.experiment, { metrics: [...metrics, measured()] }), 200);
      assert.equal(
        await status('POST', '/feature_flags/', { key: 'free', filters: { groups: [{ properties: [city] }] } }),
        201,
      );
    });

    it('although properties of events may be called as what is of persons', async () => {
      await close('person');
      assert.equal(await status('POST', '/query/', { query: rows('properties.person_properties') }), 200);
    });

    it('although they may rename objects with such filters', async () => {
      const query = trends(narrowing('event'));
      const insight = await world.buildInsight({ query, created_by: admin.userId });
      const other = await world.buildDashboard({ filters: narrowing('event') });
      await close('event');
      assert.equal(await status('PATCH', `/insights/${insight}/`, { query, name: 'Renamed' }), 200);
      assert.equal(await status('PATCH', `/dashboards/${other}/`, { filters: narrowing('event'), name: 'Same' }), 200);
    });
  });

  describe('behind a link', () => {
    let member: Member;
    let table: number;
    const status = async (method: string, at: string, body?: object) =>
      (await world.request(method, at, body, { key: member.key })).status;

    beforeEach(async () => {
      member = await buildMember(world.sluice.db, world.ours);
      table = insights.get(QUESTIONS['whole rows'].query)!;
      await world.sluice.db('sharing_configurations').delete();
    });
    const close = () =>
      buildRule(world.sluice.db, world.ours, 'none', { resource: 'event', membership_id: member.membershipId });

    it('are not put there by users who may not see them', async () => {
      const mine = await world.buildDashboard({ created_by: member.userId });
      const other = await world.buildDashboard({ created_by: admin.userId });
      await world.buildTile(other, { insight_id: table });
      await close();
      assert.equal(await status('PATCH', `/dashboards/${other}/sharing/`, { enabled: true }), 403);
      assert.equal(await status('PATCH', `/insights/${table}/sharing/`, { enabled: true }), 403);
      assert.equal(await status('PATCH', `/dashboards/${mine}/`, { tiles: [{ insight: table }] }), 403);
      assert.equal(await status('PATCH', `/insights/${table}/`, { dashboards: [mine] }), 403);
      assert.equal(await status('PATCH', `/dashboards/${mine}/sharing/`, { enabled: true }), 200);
    });

    it('are not put there by a key that may not read them', async () => {
      const other = await world.buildDashboard();
      await world.buildTile(other, { insight_id: table });
      const share = async (...scopes: string[]) => {
        const key = await buildPersonalKey(world.sluice.db, world.ours, 'sharing_configuration:write', ...scopes);
        return (await world.request('PATCH', `/dashboards/${other}/sharing/`, { enabled: true }, { key })).status;
      };
      assert.equal(await share(), 403);
      assert.equal(await share('event:read'), 200);
    });

    for (const kind of ['dashboard', 'insight'] as const) {
      it(`are seen until a rule closes them for everybody, on a shared ${kind}`, async () => {
        const shared = await world.buildDashboard();
        await world.buildTile(shared, { insight_id: table });
        const at = kind === 'dashboard' ? `/dashboards/${shared}/sharing/` : `/insights/${table}/sharing/`;
        const { body } = await world.request('PATCH', at, { enabled: true });
        const link = `/shared/${String((body as Json)['access_token'])}`;
        assert.match(await readText('GET', `${link}.json`, ''), /of-event/);
        await buildRule(world.sluice.db, world.ours, 'none', { resource: 'event' });
        assert.doesNotMatch(await readText('GET', link.replace('shared', 'embedded'), ''), /of-event/);
        // Text that was written for the visitor before is kept for three seconds.
        const until = Date.now() + 60_000;
        while ((await readText('GET', `${link}.json`, '')).includes('of-event')) {
          assert.ok(Date.now() < until, 'the link shows it for ever');
          await setTimeout(200);
        }
      });
    }
  });
});
