/** Differences of released SDKs: rule by rule, and beside what running them has shown. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { DIFFERENCES, NEWEST, sdkDifferences, type Sdk } from '../../../src/flags/definitions/sdk-differences.ts';
import type { StoredDefinitions, StoredFlag } from '../../../src/flags/definitions/stored-definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import { DIFFERENCES as SHOWN } from '../../sdks/differences.ts';
import { FLAGS } from '../../support/sdks/sdk-table.ts';
import { buildStoredFlag, type StoredFlagChanges } from '../../support/database/stored-flags.ts';

const cohort = (id: number, ...values: Json[]) => ({
  id,
  isStatic: false,
  filters: { properties: { type: 'OR', values } },
});
const person = (operator: string, value: Json): Json => ({ key: 'q', type: 'person', operator, value });
const inCohort = (id: number, operator = 'in'): Json => ({ type: 'cohort', key: 'id', value: id, operator });

const definitionsOf = (flags: StoredFlag[], more: Partial<StoredDefinitions> = {}): StoredDefinitions => ({
  flags,
  cohorts: [cohort(1, person('exact', 'pro')), cohort(2, inCohort(1, 'not_in')), cohort(3, person('gt', 'abc'))],
  groupTypes: new Map([[0, 'company']]),
  timeZone: 'UTC',
  matchingVersion: 1,
  ...more,
});

const set = (...properties: Json[]): Json => ({ properties });
const sets = (...groups: Json[]): StoredFlagChanges => ({ filters: { groups } });
const HALF: Json = { rollout_percentage: 50 };
const TWO = { variants: ['a', 'b'].map((key) => ({ key, rollout_percentage: 50 })) };
const ALL = Object.keys(NEWEST) as Sdk[];

/** `posthog-node <5.37.0`, and so on. */
function namesOfDifferences(changes: StoredFlagChanges, definitions = definitionsOf([])): string[] {
  return sdkDifferences(buildStoredFlag(changes), definitions).map(({ sdk, versions }) => `${sdk} ${versions}`);
}

function ofTrait(...traits: (keyof typeof DIFFERENCES)[]): string[] {
  const found = traits.flatMap((trait) => Object.entries(DIFFERENCES[trait].fixedIn) as [Sdk, string | null][]);
  return found.map(([sdk, first]) => `${sdk} ${first === null ? `<=${NEWEST[sdk]}` : `<${first}`}`).sort();
}

describe('SDKs that decide a flag otherwise', () => {
  const cases: [what: string, flag: StoredFlagChanges, traits: (keyof typeof DIFFERENCES)[]][] = [
    ['a rollout', sets(HALF), []],
    ['variants', { filters: { groups: [{}], multivariate: TWO } }, []],
    ['properties', sets(set(person('exact', 'x'), person('gt', '18'))), []],
    ['a holdout', { filters: { groups: [{}], holdout: { id: 1, exclusion_percentage: 5 } } }, ['holdout']],
    ['a holdout of nobody', { filters: { groups: [{}], holdout: { id: 1, exclusion_percentage: 0 } } }, []],
    ['an older holdout', { filters: { groups: [{}], holdout_groups: [HALF] } }, ['olderHoldout']],
    ['early exit', { filters: { groups: [HALF, {}], early_exit: true } }, ['earlyExit']],
    ['early exit that never is', { filters: { groups: [{}, HALF], early_exit: true } }, []],
    ['enrollment', { filters: { groups: [{}], feature_enrollment: true } }, ['enrollment']],
    ['older enrollment', { filters: { groups: [{}], super_groups: [set(person('exact', 'x'))] } }, ['superGroups']],
    ['a bucket for each device', { ...sets(HALF), bucketingIdentifier: 'device_id' }, ['byDevice']],
    ['everybody by device', { bucketingIdentifier: 'device_id' }, []],
    ['a flag of pages', { evaluationRuntime: 'client' }, ['clientRuntime']],
    ['a cohort', sets(set(inCohort(1))), ['cohort']],
    ['not in a cohort', sets(set(inCohort(1, 'not_in'))), ['cohort', 'notInCohort']],
    ['a cohort that is not in one', sets(set(inCohort(2))), ['cohort', 'notInCohort']],
    ['a cohort that compares texts', sets(set(inCohort(3))), ['cohort', 'comparedText']],
    ['a number compared with a text', sets(set(person('lte', 'abc'))), ['comparedText']],
    ['a variant after a condition set without', sets(HALF, { variant: 'a' }), ['variantFirst']],
    ['variants first', sets({ variant: 'a' }, {}), []],
    [
      'a percentage of those that match',
      sets({ ...HALF, ...(set(person('exact', 1)) as object) }),
      ['percentageOfMatches'],
    ],
    ['a share of groups', sets({ ...HALF, aggregation_group_type_index: 0 }, {}), ['groupConditionSet']],
    [
      'a share of persons in a flag about groups',
      { filters: { aggregation_group_type_index: 0, groups: [{ ...HALF, aggregation_group_type_index: null }] } },
      ['personConditionSet'],
    ],
    ['a date', sets(set(person('is_date_after', '2024-06-01'), person('is_date_before', '-7d'))), []],
    ['a date in words', sets(set(person('is_date_after', 'Thu Nov 16 2023'))), ['ambiguousDate']],
    ['a compact date', sets(set(person('is_date_after', '20231116'))), ['ambiguousDate']],
    ['seconds for a date', sets(set(person('is_date_after', 1_700_000_000))), ['ambiguousDate']],
    ['filters that make no sense', { filters: [null] }, []],
  ];
  for (const [what, changes, traits] of cases) {
    it(`are listed, where there are any: ${what}`, () =>
      assert.deepEqual(namesOfDifferences(changes).sort(), ofTrait(...traits)));
  }

  it('are named in the docs', () => {
    const page = readFileSync(new URL('../../../docs/feature-flags.md', import.meta.url), 'utf8');
    const [, table = ''] = /<!-- differences -->\n(.*?)\n+<!-- differences end -->/s.exec(page) ?? [];
    const rows = Object.values(DIFFERENCES).map(({ flagPart, fixedIn }) => {
      const until = ALL.map((sdk) => (sdk in fixedIn ? (fixedIn[sdk] ?? 'all') : ''));
      return [flagPart, ...until].join(' | ');
    });
    const written = table.split('\n').slice(2);
    assert.deepEqual(
      written.map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim())
          .join(' | '),
      ),
      rows,
    );
    for (const version of Object.values(NEWEST)) assert.ok(page.includes(version), version);
  });

  it('read dates without an offset by their own clocks', () => {
    const berlin = definitionsOf([], { timeZone: 'Europe/Berlin' });
    const since = (value: string) => namesOfDifferences(sets(set(person('is_date_after', value))), berlin).length;
    assert.deepEqual(['2024-06-01', '2024-06-01T10:00:00', '2024-06-01T10:00:00+02:00', '-7d'].map(since), [
      ALL.length,
      ALL.length,
      0,
      0,
    ]);
  });

  it('are named for `not_in` a cohort, with the releases that read it as `in`', () => {
    const differences = sdkDifferences(buildStoredFlag(sets(set(inCohort(1, 'not_in')))), definitionsOf([]));
    assert.deepEqual(
      differences.filter(({ reason }) => reason.includes('`not_in`')).map(({ sdk, versions }) => `${sdk} ${versions}`),
      [
        'posthog-go <=1.23.1',
        'posthog-node <5.40.0',
        'posthog-php <=4.13.2',
        'posthog-python <7.40.0',
        'posthog-ruby <=3.23.2',
        'posthog-server <=2.3.3',
      ],
    );
  });

  it('are listed for the flags that it depends on, too', () => {
    const held = buildStoredFlag({
      id: 7,
      key: 'held',
      filters: { groups: [{}], holdout: { id: 1, exclusion_percentage: 5 } },
    });
    const dependsOn: Json = { type: 'flag', key: '7', operator: 'flag_evaluates_to', value: true };
    const [first] = sdkDifferences(buildStoredFlag(sets(set(dependsOn))), definitionsOf([held]));
    assert.deepEqual(first, {
      sdk: 'posthog-go',
      versions: '<=1.23.1',
      reason: 'It depends on flag held: It ignores holdouts.',
    });
    assert.deepEqual(namesOfDifferences(sets(set(dependsOn)), definitionsOf([{ ...held, active: false }])), []);
  });

  it('are none where SDKs ask, but the one that does not', () => {
    const filters = { groups: [HALF], holdout: { id: 1, exclusion_percentage: 5 } };
    assert.deepEqual(namesOfDifferences({ filters, active: false }), []);
    assert.deepEqual(namesOfDifferences({ filters, hasEncryptedPayloads: true }), []);
    assert.deepEqual(namesOfDifferences({ filters, key: 'survey-targeting-x' }), []);
    assert.deepEqual(namesOfDifferences({ filters, ensureExperienceContinuity: true }), [
      'posthog-rs <=0.30.0',
      'posthog-rs <=0.30.0',
    ]);
  });

  describe('that were run', () => {
    const RUN = ['node 5.70.0', 'node 4.2.1', 'python 7.91.1', 'python 3.7.0', 'go 1.5.2', 'server 2.3.3', 'rs 0.30.0'];
    const ids: Record<string, number> = { 'cohort pros': 1, 'cohort invited': 9, 'flag colours': 2 };
    const stored = FLAGS.map((one, index) => {
      const written = JSON.stringify(one).replace(/"<([^>]+)>"/g, (_, name: string) => String(ids[name]));
      const { filters, ...rest } = JSON.parse(written) as { filters: Json; [field: string]: unknown };
      return buildStoredFlag({
        id: index + 1,
        key: one.key,
        filters,
        active: one.active ?? true,
        evaluationRuntime: one.evaluation_runtime ?? 'all',
        ensureExperienceContinuity: rest['ensure_experience_continuity'] === true,
      });
    });
    const definitions = definitionsOf(stored, {
      cohorts: [cohort(1, person('exact', 'pro')), { id: 9, isStatic: true, filters: {} }],
    });

    for (const name of RUN) {
      it(`differ as listed: posthog-${name}`, () => {
        const [sdk, version] = `posthog-${name}`.split(' ') as [Sdk, string];
        const flagsWithDifference = stored.filter((one) =>
          sdkDifferences(one, definitions).some((found) => found.sdk === sdk && isIn(version, found.versions)),
        );
        const shown = SHOWN.filter(({ flag: key, sdks, says }) => {
          const isSilent = says.some((value) => value !== undefined && value !== null);
          return isSilent && key !== 'asleep' && (!sdks || sdks.includes(`${sdk} ${version}`));
        });
        const keys = flagsWithDifference.map(({ key }) => key);
        assert.deepEqual(
          shown.map(({ flag: key }) => key).filter((key) => !keys.includes(key)),
          [],
        );
        // No person in the table meets the other flags that the SDK is told of.
        const unmet = keys.filter((key) => !shown.some(({ flag: one }) => one === key));
        assert.deepEqual(unmet, []);
      });
    }
  });
});

/** @param versions `<1.2.3` or `<=1.2.3` */
function isIn(version: string, versions: string): boolean {
  const [, sign, end = ''] = /^(<=?)(.+)$/.exec(versions) ?? [];
  const [one, other] = [version, end].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at < 0 ? sign === '<=' : one[at]! < other[at]!;
}
