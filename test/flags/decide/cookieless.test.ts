/** Flags of visitors without cookies. */
import assert from 'node:assert/strict';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';
import { postDecide, buildFlagFor, buildVariants, valuesOf } from '../../support/flags/decide.ts';
import { buildCohort, buildFlag, waitUntilServerUsesRows } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';
import { watchStalls } from '../../support/durations.ts';

const NOBODY = '$posthog_cookieless';
const AGENT = 'Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/140.0';
const VISITORS = 24;

/** Of a page that is looked at from the n-th address. */
const headersOf = (n: number): Record<string, string> => ({
  'X-Forwarded-For': `81.2.69.${n}`,
  'User-Agent': AGENT,
  Origin: 'https://www.example.com',
});

describe('flags of visitors without cookies', () => {
  let database: TestDatabase;
  let sluice: Sluice;
  before(async () => {
    database = await createTestDatabase();
    sluice = await startSluice({ database, trustedProxies: ['127.0.0.1'] });
  });
  after(() => sluice.stop());

  const get = (tenant: Tenant, n: number, changes: object = {}, headers: Record<string, string> = {}) =>
    postDecide(
      `${sluice.url}/flags/?v=2`,
      { token: tenant.apiToken, distinct_id: NOBODY, ...changes },
      { ...headersOf(n), ...headers },
    );
  const values = async (...request: Parameters<typeof get>) => valuesOf(await get(...request));

  /** Tells under which id flags are decided: on for those whose id looks like that of a visitor. */
  const named = {
    groups: [{ properties: [{ key: 'distinct_id', type: 'person', operator: 'regex', value: '^cookieless_.{22}$' }] }],
  };

  async function build(settings: Parameters<typeof buildTenant>[1]): Promise<Tenant> {
    const tenant = await buildTenant(sluice.db, settings);
    await buildVariants(sluice.db, tenant.projectId, 'half', ['a', 'b']);
    await buildFlag(sluice.db, tenant.projectId, { key: 'named', filters: named });
    await waitUntilServerUsesRows(sluice, tenant);
    return tenant;
  }

  describe('of a project that allows them', () => {
    let tenant: Tenant;
    before(async () => void (tenant = await build({ cookieless: true })));

    it('differ between visitors and stay with one', async () => {
      const first = await Promise.all(Array.from({ length: VISITORS }, (_, n) => values(tenant, n)));
      assert.deepEqual(new Set(first.map(({ half }) => half)), new Set(['a', 'b']));
      assert.ok(first.every((one) => one['named'] === true));
      const again = await Promise.all(Array.from({ length: VISITORS }, (_, n) => values(tenant, n)));
      assert.deepEqual(again, first);
    });

    it('are those of the id that the events of the page are stored under', async () => {
      const properties = {
        $cookieless_mode: true,
        $host: 'www.example.com',
        $raw_user_agent: AGENT,
        $cookieless_extra: 'theme 7',
      };
      const event = { api_key: tenant.apiToken, event: 'e', distinct_id: NOBODY, properties };
      assert.deepEqual((await postDecide(`${sluice.url}/e/`, event, headersOf(1))).body, { status: 1 });
      const { rows } = await sluice.pool.query<{ distinct_id: string }>(
        'select distinct_id from events where project_id = $1',
        [tenant.projectId],
      );
      const [{ distinct_id: id } = { distinct_id: '' }] = rows;
      const exact = {
        groups: [{ properties: [{ key: 'distinct_id', type: 'person', operator: 'exact', value: id }] }],
      };
      await buildFlag(sluice.db, tenant.projectId, { key: 'mine', filters: exact });
      await waitUntilServerUsesRows(sluice, tenant);
      assert.equal((await values(tenant, 1, { cookieless_hash_extra: 'theme 7' }))['mine'], true);
      assert.equal((await values(tenant, 1))['mine'], false);
      assert.equal((await values(tenant, 2, { cookieless_hash_extra: 'theme 7' }))['mine'], false);
    });

    it('are known by the distinct id alone, whatever $cookieless_mode says', async () => {
      for (const $cookieless_mode of [true, false, 'yes', 7]) {
        const modeFields = { $cookieless_mode, person_properties: { $cookieless_mode } };
        assert.equal((await values(tenant, 1, modeFields))['named'], true);
        assert.equal((await values(tenant, 1, { ...modeFields, distinct_id: 'ada' }))['named'], false);
      }
    });

    it('are the same for all visitors who cannot be told apart', async () => {
      const answers = [
        values(tenant, 1, {}, { Origin: 'null' }),
        values(tenant, 1, {}, { Origin: '' }),
        values(tenant, 1, {}, { 'User-Agent': '' }),
      ];
      for (const one of await Promise.all(answers)) assert.equal(one['named'], false);
    });

    it('are the same by /decide/, and by OFREP', async () => {
      const body = { token: tenant.apiToken, distinct_id: NOBODY };
      assert.deepEqual(
        valuesOf(await postDecide(`${sluice.url}/decide/?v=4`, body, headersOf(1))),
        await values(tenant, 1),
      );
      const answer = await fetch(`${sluice.url}/ofrep/v1/evaluate/flags`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${tenant.apiToken}`, 'Content-Type': 'application/json', ...headersOf(1) },
        body: JSON.stringify({ context: { targetingKey: NOBODY } }),
      });
      const { flags } = (await answer.json()) as { flags: { key: string; value: unknown; variant: string }[] };
      const { half, named: isNamed } = await values(tenant, 1);
      assert.equal(flags.find(({ key }) => key === 'named')?.value, isNamed);
      assert.equal(flags.find(({ key }) => key === 'half')?.variant, half);
    });
  });

  it('are the same for all in a project that does not allow them', async () => {
    const tenant = await build({});
    const all = await Promise.all(Array.from({ length: VISITORS }, (_, n) => values(tenant, n)));
    assert.equal(new Set(all.map(({ half }) => half)).size, 1);
    assert.ok(all.every((one) => one['named'] === false));
    assert.deepEqual(await sluice.db('cookieless_salts').where({ project_id: tenant.projectId }), []);
  });

  for (const cookieless of [false, true]) {
    describe(`in a project that ${cookieless ? 'allows' : 'does not allow'} them`, () => {
      let tenant: Tenant;
      before(async () => {
        tenant = await buildTenant(sluice.db, { cookieless });
        const { projectId } = tenant;
        await buildFlagFor(sluice.db, projectId, 'pro', { plan: 'pro' });
        const cohort = await buildCohort(sluice.db, projectId);
        const listed = { groups: [{ properties: [{ key: 'id', type: 'cohort', operator: 'in', value: cohort }] }] };
        await buildFlag(sluice.db, projectId, { key: 'listed', filters: listed });
        await buildVariants(sluice.db, projectId, 'kept', ['a', 'b'], { ensure_experience_continuity: true });
        // A person of before: made when the id was one like any other.
        await sluice.db.raw(
          `with person as (
             insert into persons (project_id, id, properties, is_identified, created_at)
               values (:projectId, gen_random_uuid(), '{"plan": "pro"}', false, now()) returning id
           ), known as (
             insert into person_distinct_ids (project_id, distinct_id, person_id, version, interval_time)
               select cast(:projectId as int), cast(:id as text), id, 1, now() from person
           )
           insert into cohort_members (project_id, cohort_id, person_id) 
             select cast(:projectId as int), cast(:cohort as int), id from person`,
          { projectId, id: NOBODY, cohort },
        );
        await waitUntilServerUsesRows(sluice, tenant);
      });

      it('know no person, and keep no answer', async () => {
        const changes = { $anon_distinct_id: 'anon-1' };
        for (let n = 0; n < 2; n++) {
          const { pro, listed } = await values(tenant, 1, changes);
          assert.deepEqual({ pro, listed }, { pro: false, listed: false });
        }
        for (const table of ['feature_flag_awaited_overrides', 'feature_flag_hash_key_overrides']) {
          assert.deepEqual(await sluice.db(table).where({ project_id: tenant.projectId }), []);
        }
      });

      it('are never continued by visitors with cookies', async () => {
        const person_properties = { $anon_distinct_id: 'anon-1' };
        for (const changes of [
          { $anon_distinct_id: NOBODY },
          { person_properties: { $anon_distinct_id: NOBODY } },
          { $anon_distinct_id: NOBODY, person_properties },
        ]) {
          const ids = Array.from({ length: VISITORS }, (_, n) => `user-${n}`);
          const answers = ids.map((id) => values(tenant, 1, { distinct_id: id, ...changes }));
          assert.equal(new Set((await Promise.all(answers)).map(({ kept }) => kept)).size, 2);
        }
        assert.deepEqual(await sluice.db('feature_flag_awaited_overrides').where({ project_id: tenant.projectId }), []);
      });
    });
  }

  it('are unknown, with 200, while Postgres says nothing about the salt', async () => {
    const tenant = await build({ cookieless: true });
    const silent = await sluice.pool.connect();
    await silent.query('begin; lock table cookieless_salts in access exclusive mode');
    try {
      const longestStall = watchStalls();
      const askedAt = performance.now();
      const { status, body } = await get(tenant, 1);
      assert.deepEqual([status, body['flags'], body['errorsWhileComputingFlags']], [200, {}, true]);
      assert.ok(performance.now() - askedAt < 2_900 + 2 * longestStall());
      assert.equal((await get(tenant, 1, { distinct_id: 'ada' })).body['errorsWhileComputingFlags'], false);
    } finally {
      await silent.query('rollback');
      silent.release();
    }
    assert.equal((await values(tenant, 1))['named'], true);
  });
});
