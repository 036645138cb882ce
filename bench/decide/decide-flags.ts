/**
 * The same ten kinds of flags in the formats of three servers, and the persons to decide them for. Where a peer cannot express a condition, its
 * flag has the nearest one.
 */

/** Filters of one flag, as Sluice stores them. */
type Filters = { groups: object[]; multivariate?: object; payloads?: Record<string, string> };
type Kind = { filters: Filters; flagd: object; unleash: object };

const person = (key: string, operator: string, value: unknown) => ({ key, operator, value, type: 'person' });
const shares = (...variants: [string, number][]) => ({
  multivariate: { variants: variants.map(([key, rollout_percentage]) => ({ key, rollout_percentage })) },
});
const on = (targeting: object) => ({ variants: { on: true, off: false }, targeting: { if: [targeting, 'on', 'off'] } });
const rollout = (percent: number) => ({ fractional: [['on', percent], ['off', 100 - percent]] }); // prettier-ignore
const flexible = (percent: number, constraints: object[] = [], variants: [string, number][] = []) => ({
  name: 'flexibleRollout',
  parameters: { rollout: String(percent), stickiness: 'userId' },
  constraints,
  variants: variants.map(([name, share]) => ({
    name,
    weight: share * 10,
    weightType: 'variable',
    stickiness: 'userId',
  })),
});
const constraint = (contextName: string, operator: string, value: string | string[]) => ({
  contextName,
  operator,
  ...(Array.isArray(value) ? { values: value } : { value }),
});

const KINDS: Kind[] = [
  {
    filters: { groups: [{ properties: [], rollout_percentage: 45 }] },
    flagd: { variants: { on: true, off: false }, targeting: rollout(45) },
    unleash: flexible(45),
  },
  {
    filters: { groups: [{ properties: [], rollout_percentage: 100 }], payloads: { true: '{"limit":20}' } },
    flagd: { variants: { on: true, off: false } },
    unleash: flexible(100),
  },
  {
    filters: { groups: [{ properties: [person('plan', 'exact', ['free', 'pro'])], rollout_percentage: 100 }] },
    flagd: on({ in: [{ var: 'plan' }, ['free', 'pro']] }),
    unleash: flexible(100, [constraint('plan', 'IN', ['free', 'pro'])]),
  },
  {
    filters: { groups: [{ properties: [person('email', 'icontains', '@example.com')], rollout_percentage: 50 }] },
    flagd: {
      variants: { on: true, off: false },
      targeting: { if: [{ in: ['@example.com', { var: 'email' }] }, rollout(50), 'off'] },
    },
    unleash: flexible(50, [constraint('email', 'STR_CONTAINS', ['@example.com'])]),
  },
  {
    filters: { groups: [{ properties: [], rollout_percentage: 100 }], ...shares(['control', 50], ['test', 50]) },
    flagd: { variants: { on: 'control', off: 'test' }, targeting: rollout(50) },
    unleash: flexible(100, [], [['control', 50], ['test', 50]]), // prettier-ignore
  },
  {
    filters: {
      groups: [{ properties: [person('country', 'exact', 'NL')], rollout_percentage: 100 }],
      ...shares(['control', 34], ['blue', 33], ['green', 33]),
    },
    flagd: {
      variants: { on: 'control', blue: 'blue', green: 'green', off: 'off' },
      targeting: {
        if: [{ '==': [{ var: 'country' }, 'NL'] }, { fractional: [['on', 34], ['blue', 33], ['green', 33]] }, 'off'], // prettier-ignore
      },
    },
    unleash: flexible(100, [constraint('country', 'IN', ['NL'])], [['control', 34], ['blue', 33], ['green', 33]]), // prettier-ignore
  },
  {
    filters: {
      groups: [
        { properties: [person('beta', 'exact', ['true'])], rollout_percentage: 100 },
        { properties: [], rollout_percentage: 10 },
      ],
    },
    flagd: {
      variants: { on: true, off: false },
      targeting: { if: [{ '==': [{ var: 'beta' }, true] }, 'on', rollout(10)] },
    },
    unleash: flexible(10, [constraint('beta', 'IN', ['true'])]),
  },
  {
    filters: { groups: [{ properties: [person('app_version', 'semver_gte', '2.0.0')], rollout_percentage: 100 }] },
    flagd: on({ sem_ver: [{ var: 'app_version' }, '>=', '2.0.0'] }),
    unleash: flexible(100, [constraint('app_version', 'SEMVER_GT', '2.0.0')]),
  },
  {
    filters: {
      groups: [
        { properties: [person('email', 'regex', String.raw`^user-\d+@example\.com$`)], rollout_percentage: 100 },
      ],
    },
    flagd: on({ ends_with: [{ var: 'email' }, '@example.com'] }),
    unleash: flexible(100, [constraint('email', 'STR_ENDS_WITH', ['@example.com'])]),
  },
  {
    filters: {
      groups: [{ properties: [person('age', 'gt', '18'), person('plan', 'is_not', 'trial')], rollout_percentage: 30 }],
    },
    flagd: {
      variants: { on: true, off: false },
      targeting: { if: [{ and: [{ '>': [{ var: 'age' }, 18] }, { '!=': [{ var: 'plan' }, 'trial'] }] }, rollout(30), 'off'] }, // prettier-ignore
    },
    unleash: flexible(30, [constraint('age', 'NUM_GT', '18'), constraint('plan', 'NOT_IN', ['trial'])]),
  },
];

const kindOf = (index: number) => KINDS[index % KINDS.length]!;
export const flagKey = (index: number) => `bench-flag-${index}`;

export function sluiceFilters(count: number): { key: string; filters: Filters }[] {
  return Array.from({ length: count }, (_, index) => ({ key: flagKey(index), filters: kindOf(index).filters }));
}

/** https://flagd.dev/reference/flag-definitions/ */
export function flagdConfiguration(count: number): string {
  const flags = Array.from({ length: count }, (_, index) => {
    return [flagKey(index), { state: 'ENABLED', defaultVariant: 'on', ...kindOf(index).flagd }] as const;
  });
  return JSON.stringify({ flags: Object.fromEntries(flags) });
}

/** Activation strategies, one for each flag. */
export function unleashStrategies(count: number): { name: string; strategy: object }[] {
  return Array.from({ length: count }, (_, index) => ({ name: flagKey(index), strategy: kindOf(index).unleash }));
}

export const PERSONS = 1_000;
export const distinctId = (n: number) => `user-${n}`;

export function propertiesOf(n: number) {
  return {
    email: `user-${n}@example.com`,
    plan: ['free', 'pro', 'trial'][n % 3]!,
    country: ['NL', 'DE', 'US'][n % 3]!,
    beta: n % 10 === 0,
    app_version: `${n % 4}.${n % 7}.0`,
    age: 10 + (n % 50),
  };
}
