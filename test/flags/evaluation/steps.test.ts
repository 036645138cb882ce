/** How much work one request may cost: each pattern linear, each property read once, and all of it within a number of steps. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compileDefinitions } from '../../../src/flags/evaluation/compile.ts';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { FlagDefinition } from '../../../src/flags/evaluation/definitions.ts';
import { instantOfText } from '../../../src/conditions/operators/dates.ts';
import { instantOfFilter } from '../../../src/conditions/operators/filter-dates.ts';
import { numberOf, textOf, type Json } from '../../../src/conditions/operators/json-values.ts';
import { OPERATORS } from '../../../src/conditions/operators/operator-table.ts';
import { matchesProperty } from '../../../src/conditions/operators/operators.ts';
import { onePassTest } from '../../../src/conditions/regex/one-pass.ts';
import { Readings, STEPS_PER_REQUEST, StepsSpent } from '../../../src/conditions/operators/readings.ts';
import { getSearch } from '../../../src/conditions/regex/regex.ts';
import { parseRegex } from '../../../src/conditions/regex/regex-syntax.ts';
import { comparableVersionOf, versionOf, wildcardRange } from '../../../src/conditions/operators/semver.ts';
import { createSearch } from '../../../src/conditions/operators/text-search.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { buildDefinitions, buildFacts, buildFlag, buildRequest, NOW } from '../../support/flags/flags.ts';

const CONTEXT = { timeZone: 'UTC', now: NOW };
const MEGABYTE = 1024 * 1024;

/** The least processor time of three tries: others use the machine, too. */
function leastMs(work: () => unknown): number {
  return Math.min(
    ...Array.from({ length: 3 }, () => {
      const started = process.cpuUsage();
      work();
      return process.cpuUsage(started).user / 1000;
    }),
  );
}

function flagWith(operator: string, value: Json, more: Partial<FlagDefinition> = {}): FlagDefinition {
  return buildFlag({ filters: { groups: [{ properties: [{ type: 'person', key: 'q', operator, value }] }] }, ...more });
}

function decideFlags(flags: readonly FlagDefinition[], request: Partial<EvaluationRequest>, steps?: number) {
  const compiled = compileDefinitions(buildDefinitions({ flags }));
  const clock = { now: NOW, budgetMs: 60_000, ...(steps !== undefined && { steps }) };
  return compiled.evaluate(buildRequest(request), buildFacts(), clock);
}

/** Wanted by operators of each kind. */
const WANTED: Readonly<Record<string, Json>> = {
  between: [1, 2],
  not_between: [1, 2],
  is_date_exact: '2024-01-01',
  is_date_before: '2024-01-01',
  is_date_after: '-7d',
};

describe('work on a property', () => {
  const hostile: readonly [what: string, make: (length: number) => Json][] = [
    ['digits and a letter', (length) => `${'1'.repeat(length)}x`],
    ['digits', (length) => '1'.repeat(length)],
    ['digits, a point, and digits', (length) => `${'1'.repeat(length / 2)}.${'1'.repeat(length / 2)}e`],
    ['a version of many digits', (length) => `1.2.${'9'.repeat(length)}`],
    ['a pre-release of many digits', (length) => `1.2.3-${'9'.repeat(length)}`],
    ['a version of many parts', (length) => `1.2.3${'.4'.repeat(length / 2)}x`],
    ['a version and spaces', (length) => `1.2.3${' '.repeat(length)}x`],
    ['a date with many digits', (length) => `2024-01-01T00:00:00.${'9'.repeat(length)}x`],
    ['a relative date of many digits', (length) => `${'9'.repeat(length)}d`],
    ['a list', (length) => Array.from({ length: length / 8 }, (_, index) => `item${index}`)],
    ['a list of true', (length) => Array.from({ length: length / 8 }, () => 'TRUE')],
    [
      'names of an object',
      (length) => Object.fromEntries(Array.from({ length: length / 32 }, (_, index) => [`🦊name-${index * 7919}`, 1])),
    ],
  ];
  for (const [what, make] of hostile) {
    it(`grows as ${what} does`, function () {
      this.timeout(300_000);
      const [small, large] = [make(MEGABYTE / 4), make(MEGABYTE)];
      const slow: string[] = [];
      for (const operator of OPERATORS) {
        const condition = { key: 'q', operator, value: WANTED[operator] ?? '1.2.3' };
        const timeOf = (q: Json) => leastMs(() => matchesProperty(condition, { q }, CONTEXT));
        const [before, after] = [timeOf(small), timeOf(large)];
        // Four times the text; a quadratic pattern takes sixteen times as long, and minutes.
        if (after > 100 && after > 10 * Math.max(before, 1)) slow.push(`${operator}: ${before} ms, then ${after} ms`);
      }
      assert.deepEqual(slow, []);
    });
  }

  it('does not grow with the product of a text and of what is searched in it', () => {
    const value = `${'a'.repeat(25_000)}b${'a'.repeat(24_999)}`;
    for (const operator of ['icontains', 'not_icontains', 'starts_with', 'ends_with']) {
      const condition = { key: 'q', operator, value };
      const ms = leastMs(() => matchesProperty(condition, { q: 'a'.repeat(MEGABYTE) }, CONTEXT));
      assert.ok(ms < 1000, `${operator}: ${ms} ms`);
    }
    const alphabet = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 60, maxLength: 80 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 300 });
    fc.assert(
      fc.property(text, alphabet, text, (before, wanted, after) => {
        assert.ok(createSearch(wanted)(`${before}${wanted}${after}`));
        assert.equal(createSearch(wanted)(before + after), (before + after).includes(wanted));
      }),
    );
  });

  it('is not done on texts that are no numbers, dates and versions any more', () => {
    assert.equal(numberOf('1'.repeat(308)), Number('1'.repeat(308)));
    assert.equal(numberOf(`0.${'0'.repeat(300)}1`), 1e-301);
    assert.equal(numberOf('0'.repeat(400)), 0);
    assert.equal(numberOf('0'.repeat(401)), undefined);
    assert.ok(instantOfText(`2024-01-01T00:00:00.${'0'.repeat(79)}Z`, CONTEXT));
    assert.equal(instantOfText(`2024-01-01T00:00:00.${'0'.repeat(80)}Z`, CONTEXT), undefined);
    assert.ok(instantOfFilter(`Jan 1, 2024 00:00:00.${'0'.repeat(77)}Z`, CONTEXT));
    assert.equal(instantOfFilter(`Jan 1, 2024 00:00:00.${'0'.repeat(79)}Z`, CONTEXT), undefined);
    assert.ok(versionOf(`1.2.3-${'9'.repeat(250)}`));
    assert.equal(versionOf(`1.2.3-${'9'.repeat(251)}`), undefined);
    assert.equal(comparableVersionOf(`1.2.3${'.4'.repeat(200)}`), undefined);
    assert.equal(wildcardRange(`${'0'.repeat(255)}1.*`), undefined);
  });

  it('is none where a long text is compared with true and false', () => {
    // A text of which every character grows in lower case: writing it so takes milliseconds.
    const q = '\u0130'.repeat(MEGABYTE);
    for (const operator of ['exact', 'is_not']) {
      const properties = Array.from({ length: 100 }, () => ({ type: 'person', key: 'q', operator, value: 'true' }));
      const flags = [buildFlag({ filters: { groups: properties.map((one) => ({ properties: [one] })) } })];
      const ms = leastMs(() => assert.ok(!decideFlags(flags, { personProperties: { q } }).errorsWhileComputing));
      assert.ok(ms < 200, `${operator}: ${ms} ms`);
    }
  });

  it('is done once for all conditions that look at it', () => {
    const list = Array.from({ length: 150_000 }, (_, index) => `item ${index}`);
    const { length } = textOf(list);
    const flags = Array.from({ length: 30 }, (_, index) => flagWith('icontains', `none ${index}`));
    const conversion = 10 * list.length + list.join('').length + length;
    // Room for one conversion, and for each flag to look at the text once.
    const enough = conversion + 30 * (2 * length + 1);
    assert.ok(!decideFlags(flags, { personProperties: { q: list } }, enough).errorsWhileComputing);
    assert.ok(decideFlags(flags, { personProperties: { q: list } }, enough - 1).errorsWhileComputing);
  });
});

describe('steps of a request', () => {
  const long = 'a'.repeat(MEGABYTE);
  const costly = Array.from({ length: 30 }, (_, index) => flagWith('icontains', `b${index}`));

  it('when they are spent, the flags that are left fail, and those before are right', () => {
    const flags = [flagWith('icontains', 'a'), ...costly, flagWith('icontains', 'a'), buildFlag()];
    const once = decideFlags(flags, { personProperties: { q: long } });
    const again = decideFlags(flags, { personProperties: { q: long } });
    assert.ok(once.errorsWhileComputing);
    assert.ok(once.decisions[0]!.enabled);
    const failed = once.decisions.map((decision) => decision.failed);
    assert.deepEqual(
      failed,
      again.decisions.map((decision) => decision.failed),
    );
    const first = failed.indexOf(true);
    assert.ok(first > 2 && failed.slice(first).every(Boolean), `${first}`);
    assert.equal(once.decisions[first]!.reason.code, 'timeout');
  });

  it('are enough for 1,000 values of icontains_multi in 4,900 characters, and not for 80,000', () => {
    const values = Array.from({ length: 1000 }, (_, index) => `y${index}`);
    const flags = [flagWith('icontains_multi', values, { key: 'many' }), flagWith('icontains', 'b', { key: 'one' })];
    const reasons = (length: number) =>
      decideFlags(flags, { personProperties: { q: 'ab'.repeat(length / 2) } }).decisions.map(({ failed, enabled }) => [
        failed,
        enabled,
      ]);
    assert.deepEqual(reasons(4900), [
      [false, false],
      [false, true],
    ]);
    assert.deepEqual(reasons(80_000)[0], [true, false]);
  });

  it('ten thousand flags with ten conditions each use few', () => {
    const properties = Array.from({ length: 10 }, () => ({
      type: 'person',
      key: 'q',
      operator: 'icontains',
      value: 'a',
    }));
    const flags = Array.from({ length: 10_000 }, () => buildFlag({ filters: { groups: [{ properties }] } }));
    const evaluation = decideFlags(flags, { personProperties: { q: 'abc' } }, STEPS_PER_REQUEST / 50);
    assert.ok(!evaluation.errorsWhileComputing);
  });

  const everywhere: readonly [what: string, flag: FlagDefinition, request: Partial<EvaluationRequest>][] = [
    ['a pattern', flagWith('regex', '(a|b)*c'), { personProperties: { q: 'a'.repeat(1000) } }],
    ['a pattern in one pass', flagWith('regex', '^a*$'), { personProperties: { q: long } }],
    ['many values', flagWith('icontains_multi', ['x', 'y', 'z']), { personProperties: { q: long } }],
    [
      'a long list',
      flagWith('exact', 'true'),
      { personProperties: { q: Array.from({ length: 200_000 }, () => true) } },
    ],
    [
      'the key of a group',
      buildFlag({ filters: { aggregation_group_type_index: 0, groups: [{ rollout_percentage: 50 }] } }),
      { groups: { company: long } },
    ],
    [
      'a device',
      buildFlag({ bucketingIdentifier: 'device_id', filters: { groups: [{ rollout_percentage: 50 }] } }),
      { personProperties: { $device_id: long } },
    ],
  ];
  for (const [what, flag, request] of everywhere) {
    it(`are counted for ${what}`, () => {
      const compiled = compileDefinitions(buildDefinitions({ flags: [flag], groupTypes: new Map([[0, 'company']]) }));
      const failedWith = (steps: number) => {
        const clock = { now: NOW, budgetMs: 60_000, steps };
        return compiled.evaluate(buildRequest(request), buildFacts(), clock).decisions[0]!.failed;
      };
      assert.deepEqual([failedWith(1000), failedWith(STEPS_PER_REQUEST)], [true, false]);
    });
  }

  it('a request that names as many contexts as fit into it is answered', () => {
    const flags = Array.from({ length: 2000 }, () => buildFlag({ evaluationContexts: ['site', 'docs'] }));
    const contexts = Array.from({ length: 200_000 }, (_, index) => `context ${index}`);
    const ms = leastMs(() => assert.equal(decideFlags(flags, { contexts }).decisions.length, 0));
    assert.ok(ms < 2000, `${ms} ms`);
    assert.equal(decideFlags(flags, { contexts: [...contexts, 'docs'] }).decisions.length, flags.length);
  });
});

const groupsOf = (repeats: string) => `${'('.repeat(198)}a${`${repeats})`.repeat(198)}`;

describe('patterns that nest', () => {
  it('by groups and repetitions together are refused, at once', () => {
    const ms = leastMs(() => assert.throws(() => parseRegex(groupsOf('*'.repeat(48))), InvalidInput));
    assert.ok(ms < 50, `${ms} ms`);
    assert.doesNotThrow(() => parseRegex(groupsOf('*')));
  });

  it('and repeat are read in linear time', () => {
    const ms = leastMs(() => parseRegex(`(${'a?'.repeat(4800)})${'*'.repeat(199)}`));
    assert.ok(ms < 50, `${ms} ms`);
    const optional = Array.from({ length: 3300 }, (_, index) => `${String.fromCodePoint(0x4e00 + 2 * index)}?`);
    const regex = parseRegex(`^${optional.join('')}`);
    const leastTime = leastMs(() => assert.equal(onePassTest(regex), undefined));
    assert.ok(leastTime < 50, `${leastTime} ms`);
  });

  it('cost the first request that uses them its steps, also where they are refused', () => {
    const search = getSearch(`${'a'.repeat(5000)}(`);
    assert.throws(() => search('a', new Readings(1000)), StepsSpent);
    assert.equal(search('a', new Readings(1000)), undefined);
  });

  const nested: readonly [what: string, pattern: (depth: number) => string][] = [
    ['classes', (depth) => `${'['.repeat(depth)}a${']'.repeat(depth)}`],
    ['open classes', (depth) => '['.repeat(depth)],
    ['groups', (depth) => `${'('.repeat(depth)}a${')'.repeat(depth)}`],
    ['open groups', (depth) => '('.repeat(depth)],
    ['repetitions', (depth) => `a${'*'.repeat(depth)}`],
    ['counted repetitions', (depth) => `a${'{1}'.repeat(depth)}`],
    ['alternatives', (depth) => `${'(a|'.repeat(depth)}b${')'.repeat(depth)}`],
    ['classes that are cut', (depth) => `${'[a&&'.repeat(depth)}b${']'.repeat(depth)}`],
  ];
  for (const [what, pattern] of nested) {
    it(`deeper than anybody writes are refused: ${what}`, () => {
      for (const depth of [1000, 5000, 30_000, 100_000]) {
        assert.throws(() => parseRegex(pattern(depth)), InvalidInput, `${depth}`);
        assert.equal(
          matchesProperty({ key: 'q', operator: 'regex', value: pattern(depth) }, { q: 'a' }, CONTEXT),
          false,
        );
      }
    });
  }

  it('as deep as people write are read', () => {
    for (const [what, pattern] of nested.filter(([what]) => !what.startsWith('open'))) {
      assert.doesNotThrow(() => parseRegex(pattern(50)), what);
    }
  });

  it('of more than ten thousand characters are refused, however little they say', () => {
    assert.doesNotThrow(() => parseRegex(`[${'a'.repeat(9_998)}]`));
    assert.throws(() => parseRegex(`[${'a'.repeat(9_999)}]`), InvalidInput);
  });

  it('a class of many characters is read in linear time', () => {
    const characters = Array.from({ length: 4900 }, (_, index) => String.fromCodePoint(0x4e00 + 2 * index)).join('');
    const ms = leastMs(() => parseRegex(`[${characters}]`));
    assert.ok(ms < 200, `${ms} ms`);
  });
});
