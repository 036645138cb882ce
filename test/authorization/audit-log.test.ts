/**
 * Every change is written down with its author: every unsafe route is used once, and tells what its operation says, no less and no more.
 * Made from the list that the API serves, so that no route is forgotten.
 */
import assert from 'node:assert/strict';
import { apiRoutes } from '../../src/app/api.ts';
import { pathsOf } from '../../src/platform/http/paths.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';
import { testTemporal } from '../support/servers/temporal.ts';
import { nameOf, OPERATIONS, placeOf } from './operations/operations.ts';
import { buildWorkplace, CANARY, type Asked, type Body, type Workplace } from './operations/workplace.ts';
import { watchTables, type Watch } from './operations/watch.ts';

type ApiRoute = (typeof apiRoutes)[number];
type Entry = {
  scope: string;
  item_id: string;
  activity: string;
  organization_id: string;
  project_id: number | null;
  user_id: number | null;
  key_id: string | null;
  detail: { name: string };
};

/** Operations that take a body and change nothing. */
const EXEMPT: Readonly<Record<string, string>> = {
  'POST /batch_exports/run_test_step_new/': 'tries the destination',
  'POST /batch_exports/:id/run_test_step/': 'tries the destination',
  'POST /batch_exports/preview/': 'shows rows',
  'POST /batch_exports/schedule_preview/': 'shows the next runs',
  'POST /batch_exports/:id/preview/': 'shows rows',
  'POST /feature_flags/evaluate/': 'decides',
  'POST /feature_flags/user_blast_radius/': 'counts persons',
  'POST /query/': 'computes',
  'POST /api/reset/': 'mails a link to whoever has the account; its use is told',
  'DELETE /dashboards/:id/': 'always refused: PATCH deletes',
  'DELETE /insights/:id/': 'always refused: PATCH deletes',
};

const UNKNOWN = { uuid: '0198f3a0-0000-7000-8000-00000000dead', number: '999999999' };
/** Every secret that an answer tells once. */
const TOLD_ONCE = /"(?:value|password|access_token|link|api_token)":"([^"]{8,})"/g;

const unsafe = apiRoutes.filter(({ method }) => method !== 'get');

describe('the activity log', () => {
  let sluice: Sluice;
  let at: Workplace;
  let watch: Watch;
  const secrets = new Set([CANARY]);

  before(async () => {
    sluice = await startSluice({ temporal: await testTemporal() });
    at = await buildWorkplace(sluice.db, sluice.url);
    watch = await watchTables(sluice.db);
  });
  after(() => sluice.stop());

  async function send(route: ApiRoute, { params = {}, query = '' }: Partial<Asked>, body: unknown) {
    const path = pathsOf(route)[0].replace(/:(\w+)/g, (_, name: string) => {
      if (name === 'project_id') return String(at.ours.projectId);
      if (name === 'organization_id') return at.ours.organizationId;
      return params[name] ?? unknown(route, name);
    });
    const answer = await fetch(sluice.url + path + query, {
      method: route.method.toUpperCase(),
      headers: {
        ...('sessionOnly' in route.access && (await at.session())),
        ...(!('sessionOnly' in route.access || 'public' in route.access) && { Authorization: `Bearer ${at.key}` }),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: answer.status, text: await answer.text() };
  }

  async function entriesAfter(count: number): Promise<Entry[]> {
    return sluice.db<Entry>('activity_log').orderBy('created_at').offset(count);
  }

  async function countEntries(): Promise<number> {
    const { rows } = await sluice.db.raw<{ rows: { count: number }[] }>(
      'select count(*)::int as count from activity_log',
    );
    return rows[0]!.count;
  }

  for (const route of unsafe.filter((one) => !(nameOf(one) in EXEMPT))) {
    const operation = OPERATIONS[placeOf(route)][nameOf(route)];
    it(`has entries for ${placeOf(route)}: ${nameOf(route)}`, async () => {
      assert.ok(operation, 'Say what a valid use of it is, or why it leaves no entry.');
      const validRequest = await operation(at);
      const before = await countEntries();

      await refuses(route, validRequest);
      assert.equal(await countEntries(), before, 'nothing was done, and nothing told');

      const unchanged = await watch.fingerprint();
      await watch.withFullLog(async () => {
        const { status, text } = await send(route, validRequest, validRequest.body);
        assert.equal(status, 503, `what cannot be told is not done: ${text}`);
      });
      assert.deepEqual(await watch.fingerprint(), unchanged);

      const { status, text } = await send(route, validRequest, validRequest.body);
      assert.ok(status >= 200 && status < 300, `${status} ${text}`);
      for (const [, secret] of text.matchAll(TOLD_ONCE)) secrets.add(secret!);
      const entries = await entriesAfter(before);
      assert.deepEqual(
        entries.map(({ scope, activity }) => `${scope} ${activity}`),
        validRequest.tells,
      );
      for (const entry of entries) assertEntry(route, validRequest, entry, text);
    });
  }

  async function refuses(route: ApiRoute, validRequest: Asked): Promise<void> {
    if (route.body) {
      for (const body of [[0], validRequest.refused].filter((one) => one !== undefined)) {
        const { status, text } = await send(route, validRequest, body);
        assert.equal(status, 400, text);
      }
    }
    if (!route.params) return;
    const { status, text } = await send(route, {}, validRequest.body);
    assert.equal(status, 404, text);
  }

  function assertEntry({ access }: ApiRoute, { by }: Asked, entry: Entry, text: string): void {
    const isOwner = by === undefined;
    assert.equal(entry.user_id, isOwner ? at.ours.userId : by(JSON.parse(text) as Body));
    assert.equal(entry.key_id === null, 'sessionOnly' in access || 'public' in access, 'the key, if it was one');
    assert.ok(entry.item_id !== '' && typeof entry.detail.name === 'string');
    if ('scope' in access) assert.equal(entry.project_id, at.ours.projectId);
    if ('organization' in access) assert.equal(entry.organization_id, at.ours.organizationId);
  }

  it('knows no operation and no exemption that no route has', () => {
    const known = unsafe.map((route) => `${placeOf(route)} ${nameOf(route)}`);
    const operationNames = Object.entries(OPERATIONS).flatMap(([place, all]) =>
      Object.keys(all).map((name) => `${place} ${name}`),
    );
    const exempt = known.filter((name) => name.slice(name.indexOf(' ') + 1) in EXEMPT);
    assert.equal(exempt.length, Object.keys(EXEMPT).length);
    assert.deepEqual([...operationNames, ...exempt].sort(), known.sort());
  });

  it('holds no secret', async () => {
    const log = JSON.stringify(await sluice.db('activity_log'));
    assert.ok(secrets.size > 10, 'some were told');
    for (const secret of secrets) assert.ok(!log.includes(secret.replace(/^.*\/signup\//, '')), secret);
    assert.doesNotMatch(log, /ph[xsc]_\w{8}/);
  });

  describe('is shown', () => {
    type Shown = { count: number; results: { scope: string; item_id: string; user: { id: number } | null }[] };
    const show = async (send: Workplace['send'], query: string) =>
      (await send('GET', `/activity_log/?limit=1000&${query}`)) as unknown as Shown;

    it('for the project and for the organization, as it was written', async () => {
      const { projectId: project_id, organizationId: organization_id } = at.ours;
      for (const [send, place] of [
        [at.send, { project_id }],
        [at.inOrganization, { organization_id, project_id: null }],
      ] as const) {
        const stored = await sluice.db<Entry>('activity_log').where(place);
        assert.ok(stored.length > 10);
        const shown = await show(send, '');
        assert.deepEqual(shown.results.map(key).sort(), stored.map(key).sort());
      }
    });

    it('by kind, by object and by who did it', async () => {
      const { results } = await show(at.send, 'scope=Dashboard');
      assert.ok(results.length > 10 && results.every(({ scope }) => scope === 'Dashboard'));
      const { item_id } = results[0]!;
      const ofOne = await show(at.send, `scope=Dashboard&item_id=${item_id}`);
      assert.deepEqual(
        ofOne.results,
        results.filter((one) => one.item_id === item_id),
      );
      for (const [send, query] of [
        [at.send, 'scope=Dashboard&'],
        [at.inOrganization, ''],
      ] as const) {
        const all = await show(send, query);
        const mine = await show(send, `${query}user=${at.ours.userId}`);
        assert.deepEqual(
          mine.results,
          all.results.filter(({ user }) => user?.id === at.ours.userId),
        );
        assert.deepEqual((await show(send, `${query}user=${at.colleague.userId}`)).results, []);
      }
    });
  });
});

function key({ scope, item_id: id }: { scope: string; item_id: string }): string {
  return `${scope} ${id}`;
}

/** An id of the right form that nothing has. */
function unknown({ params }: ApiRoute, name: string): string {
  const schema = params?.properties[name] as { type?: string; format?: string; pattern?: string } | undefined;
  return schema?.format === 'uuid' || schema?.pattern ? UNKNOWN.uuid : UNKNOWN.number;
}
