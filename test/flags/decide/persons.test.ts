import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { openGeoip } from '../../../src/platform/wire/geoip.ts';
import { postDecide, buildFlagFor, buildVariants, valuesOf } from '../../support/flags/decide.ts';
import { buildFlag, buildCohort } from '../../support/database/flag-rows.ts';
import { buildTenant, type Tenant } from '../../support/api/identity.ts';
import { writeMmdb } from '../../support/events/mmdb.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const LONDON = '81.2.69.142';
const GENEVA = '81.2.69.143';
const SWITZERLAND = '81.2.69.144';
const UNKNOWN = '81.2.69.145';
const PLACES = {
  [LONDON]: {
    city: { names: { en: 'London' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'GB', names: { en: 'United Kingdom' } },
    location: { latitude: 51.5, longitude: -0.1, time_zone: 'Europe/London' },
    postal: { code: 'EC2V' },
  },
  [GENEVA]: {
    city: { names: { en: 'Geneva' } },
    continent: { code: 'EU', names: { en: 'Europe' } },
    country: { iso_code: 'CH', names: { en: 'Switzerland' } },
    location: { latitude: 46.2, longitude: 6.1, time_zone: 'Europe/Zurich' },
    postal: { code: '1201' },
  },
  [SWITZERLAND]: { country: { iso_code: 'CH', names: { en: 'Switzerland' } } },
};

describe('flags of persons', () => {
  let sluice: Sluice;
  let tenant: Tenant;

  before(async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'sluice-places-'));
    await writeFile(path.join(folder, 'places.mmdb'), writeMmdb(PLACES));
    sluice = await startSluice({ locate: await openGeoip(path.join(folder, 'places.mmdb')) });
    await rm(folder, { recursive: true });
  });
  after(() => sluice.stop());
  beforeEach(async () => {
    tenant = await buildTenant(sluice.db);
  });

  async function capture(event: object): Promise<void> {
    const answer = await postDecide(`${sluice.url}/capture/`, { api_key: tenant.apiToken, event: 'e', ...event });
    assert.deepEqual(answer.body, { status: 1 });
  }
  const get = (distinctId: string, changes: object = {}, headers: Record<string, string> = {}) =>
    postDecide(`${sluice.url}/flags/?v=2`, { token: tenant.apiToken, distinct_id: distinctId, ...changes }, headers);
  const values = async (...request: Parameters<typeof get>) => valuesOf(await get(...request));

  /** Two ids that get different variants of a flag. */
  async function buildIds(key: string): Promise<[anonymous: string, identified: string]> {
    const identified = `user-${key}`;
    const theirs = (await values(identified))[key];
    for (let i = 0; ; i++) {
      const anonymous = `anon-${key}-${i}`;
      if ((await values(anonymous))[key] !== theirs) return [anonymous, identified];
    }
  }

  describe('by what is stored', () => {
    it('see what was captured before, at once', async () => {
      await buildFlagFor(sluice.db, tenant.projectId, 'step', { step: '19' });
      assert.deepEqual(await values('ada'), { step: false });
      for (let step = 0; step < 20; step++) {
        await capture({ distinct_id: 'ada', properties: { $set: { step: `${step}` } } });
        assert.deepEqual(await values('ada'), { step: step === 19 });
      }
    });

    it('prefer what the request says', async () => {
      await buildFlagFor(sluice.db, tenant.projectId, 'pro', { plan: 'pro' });
      await capture({ distinct_id: 'ada', properties: { $set: { plan: 'pro' } } });
      assert.deepEqual(await values('ada'), { pro: true });
      assert.deepEqual(await values('ada', { person_properties: { plan: 'free' } }), { pro: false });
      const only = `${sluice.url}/flags/?v=2&only_use_override_person_properties=true`;
      assert.deepEqual(valuesOf(await postDecide(only, { token: tenant.apiToken, distinct_id: 'ada' })), {
        pro: false,
      });
    });

    it('know groups, and static cohorts', async () => {
      const { db } = sluice;
      const { projectId } = tenant;
      await capture({
        event: '$groupidentify',
        distinct_id: 'ada',
        properties: { $group_type: 'company', $group_key: '42', $group_set: { tier: 'gold' } },
      });
      const tier = { key: 'tier', type: 'group', group_type_index: 0, operator: 'exact', value: 'gold' };
      const ofCompanies = {
        aggregation_group_type_index: 0,
        groups: [{ properties: [tier], rollout_percentage: 100 }],
      };
      await buildFlag(db, projectId, { key: 'gold', filters: ofCompanies });
      const cohortId = await buildCohort(db, projectId);
      const listed = { key: 'id', type: 'cohort', operator: 'in', value: cohortId };
      const ofCohort = { groups: [{ properties: [listed], rollout_percentage: 100 }] };
      await buildFlag(db, projectId, { key: 'listed', filters: ofCohort });
      const { rows } = await sluice.pool.query<{ person_id: string }>(
        `select person_id from person_distinct_ids where project_id = $1 and distinct_id = 'ada'`,
        [projectId],
      );
      const { person_id } = rows[0]!;
      await db('cohort_members').insert({ project_id: projectId, cohort_id: cohortId, person_id });
      assert.deepEqual(await values('ada', { groups: { company: 42 } }), { gold: true, listed: true });
      assert.deepEqual(await values('bob', { groups: { company: 'other' } }), { gold: false, listed: false });
    });
  });

  describe('by where they are', () => {
    const everywhere = {
      $geoip_city_name: 'London',
      $geoip_country_name: 'United Kingdom',
      $geoip_country_code: 'GB',
      $geoip_continent_name: 'Europe',
      $geoip_continent_code: 'EU',
      $geoip_postal_code: 'EC2V',
      $geoip_time_zone: 'Europe/London',
    };
    beforeEach(async () => {
      const { db } = sluice;
      await buildFlagFor(db, tenant.projectId, 'london', everywhere);
      await buildFlagFor(db, tenant.projectId, 'geneva', { $geoip_city_name: 'Geneva', $geoip_country_code: 'CH' });
      await buildFlagFor(db, tenant.projectId, 'swiss', { $geoip_country_code: 'CH' });
      await capture({ distinct_id: 'ada', properties: { $ip: GENEVA } });
    });
    const literal = 'HTTP_X_FORWARDED_FOR';
    const geneva = { geneva: true, london: false, swiss: true };
    const london = { geneva: false, london: true, swiss: false };

    const cases: [string, Record<string, string>, object, object][] = [
      ['as stored, without an address', {}, {}, geneva],
      ['as the address says', { 'X-Forwarded-For': LONDON }, {}, london],
      ['as the first address says', { 'X-Forwarded-For': `${LONDON}:8080, ${GENEVA}` }, {}, london],
      ['as the literal header says', { [literal]: LONDON }, {}, london],
      ['as the literal header says before the other', { [literal]: LONDON, 'X-Forwarded-For': GENEVA }, {}, london],
      ['as stored, when nobody knows the address', { [literal]: UNKNOWN }, {}, geneva],
      ['as stored, when it is no address', { [literal]: 'here' }, {}, geneva],
      ['as stored, when the address shall say nothing', { [literal]: LONDON }, { geoip_disable: true }, geneva],
      ['the same as old SDKs say it', { [literal]: LONDON }, { disable_geoip: true }, geneva],
      ['nowhere else than where the address is', { [literal]: SWITZERLAND }, {}, { ...geneva, geneva: false }],
    ];
    for (const [name, headers, body, flags] of cases) {
      it(name, async () => assert.deepEqual(await values('ada', body, headers), flags));
    }

    it('as the request says itself', async () => {
      const person_properties = { $geoip_city_name: 'Geneva', $geoip_country_code: 'CH' };
      assert.deepEqual(await values('bob', { person_properties }, { [literal]: LONDON }), geneva);
      assert.deepEqual(await values('bob', {}, {}), { geneva: false, london: false, swiss: false });
    });
  });

  describe('that keep their answer', () => {
    it('do when their person is identified, and ever after', async () => {
      const { db } = sluice;
      await buildVariants(db, tenant.projectId, 'kept', ['a', 'b'], { ensure_experience_continuity: true });
      const [anonymous, identified] = await buildIds('kept');
      const before = await values(anonymous);
      const others = await values(identified);
      assert.notDeepEqual(before, others);
      await capture({ event: '$pageview', distinct_id: anonymous });
      await capture({ event: '$identify', distinct_id: identified, properties: { $anon_distinct_id: anonymous } });
      assert.deepEqual(await values(identified, { $anon_distinct_id: anonymous }), before);
      assert.deepEqual(await values(identified), before);
      assert.deepEqual(await values(anonymous), before);
    });

    it('keep it also when flags are requested before the event arrives', async () => {
      const { db } = sluice;
      await buildVariants(db, tenant.projectId, 'kept', ['a', 'b'], { ensure_experience_continuity: true });
      const [anonymous, identified] = await buildIds('kept');
      const before = await values(anonymous);
      await capture({ event: '$pageview', distinct_id: anonymous });
      assert.deepEqual(await values(identified, { $anon_distinct_id: anonymous }), before);
      await capture({ event: '$identify', distinct_id: identified, properties: { $anon_distinct_id: anonymous } });
      assert.deepEqual(await values(identified), before);
    });

    it('keep it when servers send the former id among the properties, unless it is sent beside them', async () => {
      const { db } = sluice;
      await buildVariants(db, tenant.projectId, 'kept', ['a', 'b'], { ensure_experience_continuity: true });
      const [anonymous, identified] = await buildIds('kept');
      const before = await values(anonymous);
      assert.deepEqual(await values(identified, { person_properties: { $anon_distinct_id: anonymous } }), before);
      const both = { $anon_distinct_id: anonymous, person_properties: { $anon_distinct_id: identified } };
      assert.deepEqual(await values('newcomer', both), before);
    });

    it('do so only where they shall', async () => {
      await buildVariants(sluice.db, tenant.projectId, 'plain', ['a', 'b']);
      const [anonymous, identified] = await buildIds('plain');
      const others = await values(identified);
      await capture({ event: '$pageview', distinct_id: anonymous });
      await capture({ event: '$identify', distinct_id: identified, properties: { $anon_distinct_id: anonymous } });
      assert.deepEqual(await values(identified, { $anon_distinct_id: anonymous }), others);
    });
  });
});
