/** Flags that nobody writes with good intent, or that somebody writes ten thousand of. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { Definitions } from '../../../src/flags/evaluation/definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';
import {
  buildCohort,
  buildDefinitions,
  buildFacts,
  buildFlag,
  buildRequest,
  buildStaticCohort,
  NOW,
} from '../../support/flags/flags.ts';

const MANY = 10_000;

/** @returns what was decided, and how much of the processor's time it took, definitions included */
function evaluateTimed(definitions: Partial<Definitions>, request: Partial<EvaluationRequest> = {}, budgetMs = 5000) {
  const started = process.cpuUsage();
  const compiled = compileDefinitions(buildDefinitions(definitions));
  const evaluationRequest = buildRequest(request);
  compiled.needs(evaluationRequest);
  const evaluation = compiled.evaluate(evaluationRequest, buildFacts(), { now: NOW, budgetMs });
  return { ...evaluation, ms: process.cpuUsage(started).user / 1000 };
}

const filtersOnFlag = (id: number): Json => ({
  groups: [{ properties: [{ type: 'flag', key: String(id), value: true, operator: 'flag_evaluates_to' }] }],
});

describe('hostile flags', () => {
  it('ten thousand of them are decided', () => {
    const flags = Array.from({ length: MANY }, () => buildFlag({ filters: { groups: [{ rollout_percentage: 50 }] } }));
    const { decisions, errorsWhileComputing, ms } = evaluateTimed({ flags });
    assert.equal(decisions.length, MANY);
    assert.ok(!errorsWhileComputing);
    assert.ok(ms < 2000, `${ms} ms`);
  });

  it('a chain of ten thousand is followed to its end, from either end', () => {
    for (const lastFirst of [false, true]) {
      const flags = Array.from({ length: MANY }, (_, index) => {
        return buildFlag({ id: index + 1, ...(index > 0 && { filters: filtersOnFlag(index) }) });
      });
      const { decisions, ms } = evaluateTimed({ flags: lastFirst ? flags.toReversed() : flags });
      assert.ok(decisions.every(({ enabled }) => enabled));
      assert.ok(ms < 2000, `${ms} ms`);
    }
  });

  it('a ring of ten thousand is off', () => {
    const flags = Array.from({ length: MANY }, (_, index) => {
      return buildFlag({ id: index + 1, filters: filtersOnFlag(index === 0 ? MANY : index) });
    });
    const { decisions, errorsWhileComputing } = evaluateTimed({ flags });
    assert.ok(decisions.every(({ enabled, reason }) => !enabled && reason.code === 'missing_dependency'));
    assert.ok(errorsWhileComputing);
  });

  it('flags that all depend on all before them are decided', () => {
    const flags = Array.from({ length: 300 }, (_, index) => {
      const properties = Array.from({ length: index }, (__, before) => {
        return { type: 'flag', key: String(before + 1), value: true, operator: 'flag_evaluates_to' };
      });
      return buildFlag({ id: index + 1, filters: { groups: [{ properties }] } });
    });
    const { decisions, ms } = evaluateTimed({ flags: flags.toReversed() });
    assert.ok(decisions.every(({ enabled }) => enabled));
    assert.ok(ms < 2000, `${ms} ms`);
  });

  it('a chain of ten thousand cohorts is followed, and a ring is reported', () => {
    const chain = (first: CohortMember) =>
      Array.from({ length: MANY }, (_, index) => {
        const member = index === 0 ? first : { type: 'cohort', value: index, negation: true };
        return buildCohort(index + 1, { type: 'OR', values: [{ type: 'AND', values: [member] }] });
      });
    const flags = Array.from({ length: 10 }, (_, index) => {
      return buildFlag({ filters: { groups: [{ properties: [{ type: 'cohort', value: MANY - index }] }] } });
    });
    const request = { personProperties: { plan: 'pro' } };
    const { decisions, ms } = evaluateTimed(
      { flags, cohorts: chain({ type: 'person', key: 'plan', value: 'pro' }) },
      request,
    );
    assert.deepEqual(
      decisions.map(({ enabled }) => enabled),
      [false, true, false, true, false, true, false, true, false, true],
    );
    assert.ok(ms < 2000, `${ms} ms`);
    const ring = evaluateTimed({ flags, cohorts: chain({ type: 'cohort', value: MANY }) }, request);
    assert.ok(ring.decisions.every(({ reason }) => reason.code === 'dependency_cycle_cohort'));
  });
  type CohortMember = { [key: string]: Json };

  it('a thousand condition sets with long lists are decided', () => {
    const value = Array.from({ length: 1000 }, (_, index) => `value-${index}`);
    const groups = Array.from({ length: 1000 }, (_, index) => {
      return { properties: [{ type: 'person', key: 'plan', value: index < 999 ? value : ['pro'] }] };
    });
    const { decisions, ms } = evaluateTimed(
      { flags: [buildFlag({ filters: { groups } })] },
      { personProperties: { plan: 'pro' } },
    );
    assert.equal(decisions[0]!.reason.conditionIndex, 999);
    assert.ok(ms < 2000, `${ms} ms`);
  });

  it('patterns made to be slow end in time, and the rest fails with it', () => {
    const text = 'ab'.repeat(100_000);
    const bombs = [
      '(a+)+$',
      '(a|b)*a(a|b){500}$',
      '^(([a-z])+.)+[A-Z]([a-z])+$',
      '(?:a?){1000}(?:a){1000}$',
      '(.*)(.*)(.*)(.*)[^ab]$',
    ];
    const flags = Array.from({ length: 2000 }, (_, index) => {
      const properties = [
        { type: 'person', key: 'text', operator: 'regex', value: `${bombs[index % bombs.length]}|${index}x` },
      ];
      return buildFlag({ filters: { groups: [{ properties }] } });
    });
    const budgetMs = 50;
    const { decisions, errorsWhileComputing, ms } = evaluateTimed({ flags }, { personProperties: { text } }, budgetMs);
    assert.equal(decisions.length, flags.length);
    assert.ok(decisions.some(({ reason, failed }) => failed && reason.code === 'timeout'));
    assert.ok(errorsWhileComputing);
    assert.ok(ms < budgetMs + 1500, `${ms} ms`);
  });

  it('when the budget is used up, flags fail and say so', () => {
    const last = [buildFlag(), buildFlag({ id: 1 }), buildFlag({ filters: filtersOnFlag(1) })];
    // The clock is looked at every few flags.
    const flags = [...Array.from({ length: 15 }, () => buildFlag()), ...last];
    const { decisions, errorsWhileComputing } = evaluateTimed({ flags }, {}, -1);
    assert.deepEqual(
      decisions.slice(-last.length).map(({ enabled, failed, reason }) => [enabled, failed, reason.code]),
      last.map(() => [false, true, 'timeout']),
    );
    assert.ok(errorsWhileComputing);
  });

  it('a value that cannot be compared fails its flag alone', () => {
    let deep: Json = 'bottom';
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    const flags = [
      buildFlag({ filters: { groups: [{ properties: [{ type: 'person', key: 'deep', value: 'x' }] }] } }),
      buildFlag(),
    ];
    const { decisions } = evaluateTimed({ flags }, { personProperties: { deep } });
    assert.deepEqual(
      decisions.map(({ failed, enabled }) => [failed, enabled]),
      [
        [true, false],
        [false, true],
      ],
    );
  });

  it('neither does a definition that nests too deep', () => {
    let deep: Json = 'bottom';
    for (let depth = 0; depth < 50_000; depth++) deep = [deep];
    const filter = { type: 'person', key: 'plan', value: 'pro' };
    const malformed: Json[] = [
      { groups: [{ properties: [{ ...filter, value: deep }] }] },
      { groups: [{ properties: [{ ...filter, operator: deep }] }] },
      { groups: [{ properties: [{ type: 'flag', key: deep, value: true, operator: 'flag_evaluates_to' }] }] },
      { groups: [{ rollout_percentage: deep }], holdout: { id: deep, exclusion_percentage: 100 } },
      { groups: [{ properties: [{ type: 'cohort', value: 1 }] }], payloads: { true: deep } },
      deep,
    ];
    const flags = [...malformed.map((filters) => buildFlag({ filters })), buildFlag()];
    const { decisions } = evaluateTimed(
      { flags, cohorts: [buildCohort(1, deep)] },
      { personProperties: { plan: 'pro' } },
    );
    assert.deepEqual(
      decisions.map(({ enabled }) => enabled),
      [...malformed.map(() => false), true],
    );
  });

  it('names of what every object has are names like others', () => {
    const filters = {
      groups: [
        { properties: [{ type: 'person', key: '__proto__', operator: 'is_set' }] },
        { properties: [{ type: 'person', key: 'toString', operator: 'is_set' }] },
      ],
    };
    const flags = [buildFlag({ key: '__proto__', filters }), buildFlag({ key: 'constructor', filters })];
    const { decisions } = evaluateTimed({ flags, groupTypes: new Map([[0, 'constructor']]) });
    assert.ok(decisions.every(({ enabled }) => !enabled));
  });

  it('nothing that can be stored throws', () => {
    const json = fc.jsonValue() as fc.Arbitrary<Json>;
    const filter = fc.record(
      {
        type: fc.oneof(fc.constantFrom('person', 'group', 'cohort', 'flag', 'person_metadata'), json),
        key: fc.oneof(fc.constantFrom('plan', 'created_at', '1'), json),
        value: fc.oneof(fc.constantFrom<Json>(1, 2, 3, true), json),
        operator: fc.oneof(
          fc.constantFrom('exact', 'regex', 'in', 'not_in', 'flag_evaluates_to', 'is_date_after'),
          json,
        ),
        group_type_index: json,
        negation: json,
      },
      { requiredKeys: [] },
    );
    const sets = fc.oneof(
      fc.array(
        fc.oneof(
          fc.record(
            {
              properties: fc.oneof(fc.array(fc.oneof(filter, json)), json),
              rollout_percentage: json,
              variant: json,
              aggregation_group_type_index: json,
            },
            { requiredKeys: [] },
          ),
          json,
        ),
      ),
      json,
    );
    const filters = fc.oneof(
      fc.record(
        {
          groups: sets,
          super_groups: sets,
          holdout_groups: sets,
          holdout: json,
          multivariate: fc.oneof(fc.record({ variants: json }), json),
          payloads: json,
          feature_enrollment: fc.boolean(),
          aggregation_group_type_index: json,
        },
        { requiredKeys: [] },
      ),
      json,
    );
    fc.assert(
      fc.property(
        filters,
        fc.oneof(
          fc.record({
            properties: fc.oneof(
              fc.record({ type: fc.constantFrom('AND', 'OR'), values: fc.array(fc.oneof(filter, json)) }),
              json,
            ),
          }),
          json,
        ),
        json,
        (stored, cohort, plan) => {
          const flags = [buildFlag({ id: 1, filters: stored as Json }), buildFlag({ id: 2 })];
          const cohorts = [{ id: 1, isStatic: false, filters: cohort as Json }, buildStaticCohort(2)];
          const { decisions } = evaluateTimed({ flags, cohorts }, { personProperties: { plan } });
          assert.ok(decisions[1]!.enabled);
          assert.notEqual(decisions[0]!.reason.code, 'evaluation_error');
        },
      ),
      { numRuns: 400 },
    );
  });
});
