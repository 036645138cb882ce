/** Answers of upstream's evaluators, recorded: the evaluator gives the same. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { hash01 } from '../../../src/flags/evaluation/hash.ts';
import { isInPercentage, variantAt, variantsOf } from '../../../src/flags/evaluation/placement.ts';
import { parseJson, type Json, type Properties } from '../../../src/conditions/operators/json-values.ts';
import type { FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import { buildCohort, buildFacts, buildFlag, decide, evaluate, valueOf } from '../../support/flags/flags.ts';

function vectors(name: string): unknown {
  return parseJson(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}

/** Numbers as JavaScript has them: the cases are about arithmetic, not about JSON. */
function plainVectors(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'));
}

type StoredFlag = {
  id?: number;
  key: string;
  version?: number;
  active: boolean;
  filters: { bucketing_identifier?: string } & { [key: string]: Json };
};

function definitionOf({ id, key, version, active, filters }: StoredFlag): FlagDefinition {
  return buildFlag({
    ...(id !== undefined && { id }),
    key,
    version: version ?? 1,
    active,
    filters,
    bucketingIdentifier: filters.bucketing_identifier === 'device_id' ? 'device_id' : 'distinct_id',
  });
}

function groupTypesOf(mapping: { [index: string]: string } = {}): Map<number, string> {
  return new Map(Object.entries(mapping).map(([index, name]) => [Number(index), name]));
}

describe('the recorded hashes', () => {
  type HashCase = {
    prefix: string;
    identifier: string;
    salt: string;
    hash01: number;
    rollout?: { [percentage: string]: boolean };
    variants?: [string, number][];
    selected?: string;
    holdout?: { [percentage: string]: boolean };
  };
  type Thresholds = { hash01: number; rollout_percentage: number; included: boolean }[];
  type Variants = { hash01: number; variants: [string, number][]; selected: string | null }[];
  const {
    cases,
    threshold_cases: thresholds,
    variant_cases: variantCases,
  } = plainVectors('hash') as { cases: HashCase[]; threshold_cases: Thresholds; variant_cases: Variants };

  it('are the same, to the last bit', () => {
    for (const { prefix, identifier, salt, hash01: expected } of cases) {
      const id = Array.from(identifier).slice(0, 200).join('');
      assert.equal(hash01(prefix)(id, salt), expected, prefix + id);
    }
  });

  it('decide rollouts, variants and holdouts', () => {
    for (const { prefix, identifier, rollout = {}, variants, selected, holdout = {} } of cases) {
      const distinctId = Array.from(identifier).slice(0, 200).join('');
      const key = prefix.slice(0, -1);
      const valueWith = (filters: Json) => valueOf(decide(buildFlag({ key, filters }), { distinctId }));
      for (const [percentage, included] of Object.entries(rollout)) {
        assert.equal(
          valueWith({ groups: [{ rollout_percentage: Number(percentage) }] }),
          included,
          prefix + distinctId,
        );
      }
      for (const [percentage, member] of Object.entries(holdout)) {
        const value = valueWith({ groups: [{}], holdout: { id: 7, exclusion_percentage: Number(percentage) } });
        assert.equal(value, member ? 'holdout-7' : true, distinctId);
      }
      if (!variants) continue;
      const multivariate = {
        variants: variants.map(([name, percentage]) => ({ key: name, rollout_percentage: percentage })),
      };
      assert.equal(valueWith({ groups: [{}], multivariate }), selected);
    }
  });

  it('are compared with the ends of rollouts and variants as floats', () => {
    for (const { hash01: place, rollout_percentage: percentage, included } of thresholds) {
      assert.equal(isInPercentage(place, percentage), included, `${place} of ${percentage}`);
    }
    for (const { hash01: place, variants, selected } of variantCases) {
      const stored = variants.map(([key, percentage]) => ({ key, rollout_percentage: percentage }));
      assert.equal(variantAt(place, variantsOf(stored)), selected, JSON.stringify(variants));
    }
  });

  it('put a thousand people into a rollout as upstream did', () => {
    const { flag, expected } = plainVectors('consistency-simple-flag') as { flag: StoredFlag; expected: boolean[] };
    const found = expected.map(
      (_, index) => decide(definitionOf(flag), { distinctId: `distinct_id_${index}` }).enabled,
    );
    assert.deepEqual(found, expected);
  });
});

describe('the recorded evaluations of flags', () => {
  type FlagCase = {
    flag: StoredFlag;
    all_flags?: StoredFlag[];
    distinct_id: string;
    device_id?: string;
    properties: Properties;
    cohorts?: { [id: string]: Json };
    groups?: { [name: string]: string };
    group_properties?: { [name: string]: Properties };
    group_type_mapping?: { [index: string]: string };
    expected: boolean | string;
  };
  const { cases } = vectors('flag-evaluations') as { cases: FlagCase[] };
  function foundIn({ flag, all_flags, cohorts = {}, properties, ...one }: FlagCase): boolean | string {
    // Ids are told apart by us; SDKs know flags by their keys.
    const others = (all_flags ?? []).filter(({ key }) => key !== flag.key);
    const flags = [...others, flag].map((other) => definitionOf({ ...other, id: undefined! }));
    const decision = decide(
      flags.map((other) => ({ ...other })),
      {
        distinctId: one.distinct_id,
        deviceId: one.device_id,
        groups: one.groups ?? {},
        groupProperties: one.group_properties ?? {},
        personProperties: properties,
        flagKeys: new Set([flag.key]),
      },
      buildFacts(),
      {
        cohorts: Object.entries(cohorts).map(([id, group]) => buildCohort(Number(id), group)),
        groupTypes: groupTypesOf(one.group_type_mapping),
      },
    );
    return decision ? valueOf(decision) : false;
  }

  it('are the same', () => {
    const wrong = cases
      .map((one) => ({ ...one, found: foundIn(one) }))
      .filter(({ expected, found }) => found !== (expected === 'TypeError' ? false : expected));
    assert.deepEqual(wrong, []);
  });
});

describe('the recorded cohorts', () => {
  type CohortCase = {
    property?: { [key: string]: Json };
    property_group?: Json;
    property_values?: Properties;
    cohort_properties?: { [id: string]: Json };
    expected: boolean;
  };
  const { cases } = vectors('cohorts') as { cases: CohortCase[] };

  for (const {
    property,
    property_group: group,
    property_values: personProperties = {},
    cohort_properties,
    expected,
  } of cases) {
    it(`${JSON.stringify(property ?? group)} of ${JSON.stringify(personProperties)}: ${expected}`, () => {
      const filter = property ?? { type: 'cohort', value: 1 };
      const cohorts = Object.entries(cohort_properties ?? { 1: group ?? {} });
      const flag = buildFlag({ filters: { groups: [{ properties: [filter] }] } });
      const decision = decide(flag, { personProperties }, buildFacts(), {
        cohorts: cohorts.map(([id, one]) => buildCohort(Number(id), one)),
      });
      assert.equal(decision.enabled, expected);
    });
  }
});

describe('the recorded decisions of the server', () => {
  type ServerCase = {
    id: string;
    flags: StoredFlag[];
    group_type_mapping: { [index: string]: string };
    context: {
      distinct_id: string;
      person_properties: Properties;
      groups?: { [name: string]: string | number };
      group_properties?: { [name: string]: Properties };
    };
    expected: {
      [key: string]: {
        value: boolean | string;
        enabled: boolean;
        variant: string | null;
        payload: string | null;
        reason: { code: string; condition_index: number | null };
      };
    };
    omitted_flags: string[];
  };
  const { cases } = vectors('server-contract') as { cases: ServerCase[] };

  for (const { id, flags, group_type_mapping, context, expected, omitted_flags: omitted } of cases) {
    it(id, () => {
      const groups = Object.entries(context.groups ?? {}).map(([name, key]) => [name, String(key)]);
      const { decisions, errorsWhileComputing } = evaluate(
        { flags: flags.map(definitionOf), groupTypes: groupTypesOf(group_type_mapping) },
        {
          distinctId: context.distinct_id,
          personProperties: context.person_properties,
          groups: Object.fromEntries(groups) as { [name: string]: string },
          groupProperties: context.group_properties ?? {},
        },
      );
      const found = decisions.map((decision) => {
        const { key, enabled, variant, payload, reason } = decision;
        const index = reason.conditionIndex;
        return [
          key,
          {
            value: valueOf(decision),
            enabled,
            variant,
            payload,
            reason: { code: reason.code, condition_index: index },
          },
        ];
      });
      const wanted = Object.entries(expected).map(([key, { value, enabled, variant, payload, reason }]) => {
        return [key, { value, enabled, variant, payload, reason }];
      });
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(wanted));
      assert.deepEqual(
        omitted.filter((key) => decisions.some((one) => one.key === key)),
        [],
      );
      assert.equal(errorsWhileComputing, false);
    });
  }
});
