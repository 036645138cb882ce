/** Which property a condition sees: what the request says, what its address says, what is stored. */
import assert from 'node:assert/strict';
import type { EvaluationRequest } from '../../../src/flags/evaluation/decision.ts';
import type { Json, Properties } from '../../../src/conditions/operators/json-values.ts';
import { COPIED } from '../../../src/events/persons/copied-properties.ts';
import { buildFacts, buildFlag, decide } from '../../support/flags/flags.ts';

function matches(filter: { [key: string]: Json }, request: Partial<EvaluationRequest>, stored?: Properties): boolean {
  const flag = buildFlag({ filters: { groups: [{ properties: [{ type: 'person', ...filter }] }] } });
  return decide(flag, request, buildFacts(stored)).enabled;
}

const is = (key: string, value: Json) => ({ key, value, operator: 'exact' });
const flagFor = (filter: { [key: string]: Json }) =>
  buildFlag({ filters: { groups: [{ properties: [{ type: 'person', ...filter }] }] } });

describe('properties of the person', () => {
  const cases: [
    rule: string,
    filter: { [key: string]: Json },
    request: Partial<EvaluationRequest>,
    stored?: Properties,
  ][] = [
    ['are those that are stored', is('plan', 'pro'), {}, { plan: 'pro' }],
    ['of the request first', is('plan', 'free'), { personProperties: { plan: 'free' } }, { plan: 'pro' }],
    ['null of the request, too', is('plan', 'null'), { personProperties: { plan: null } }, { plan: 'pro' }],
    [
      'of the address over stored ones',
      is('$geoip_city_name', 'Brno'),
      { geoProperties: { $geoip_city_name: 'Brno' } },
      { $geoip_city_name: 'Graz' },
    ],
    [
      'but under those of the request',
      is('$geoip_city_name', 'Linz'),
      { geoProperties: { $geoip_city_name: 'Brno' }, personProperties: { $geoip_city_name: 'Linz' } },
    ],
    [
      'unless that is null',
      is('$geoip_city_name', 'Brno'),
      { geoProperties: { $geoip_city_name: 'Brno' }, personProperties: { $geoip_city_name: null } },
    ],
    ['without an address, the stored ones count', is('$geoip_city_name', 'Graz'), {}, { $geoip_city_name: 'Graz' }],
    ['have the distinct id', is('distinct_id', 'user-1'), {}],
    ['unless the request says another', is('distinct_id', 'me'), { personProperties: { distinct_id: 'me' } }],
    ['have initial values', is('$initial_browser', 'Opera'), {}, { $browser: 'Lynx', $initial_browser: 'Opera' }],
    ['or those of now', is('$initial_browser', 'Lynx'), { personProperties: { $browser: 'Lynx' } }],
    [
      'but stored initial ones first',
      is('$initial_browser', 'Opera'),
      { personProperties: { $browser: 'Lynx' } },
      { $initial_browser: 'Opera' },
    ],
    ['names without a dollar have initial ones, too', is('$initial_utm_source', 'news'), {}, { utm_source: 'news' }],
    ['also with an underscore', is('$initial__kx', 'k'), {}, { _kx: 'k' }],
    [
      'null is an initial value',
      { key: '$initial_browser', operator: 'is_not', value: 'Lynx' },
      { personProperties: { $initial_browser: null, $browser: 'Lynx' } },
    ],
    ['have no methods', { key: 'constructor', operator: 'is_not_set' }, {}, {}],
    ['of nobody are none', { key: 'plan', operator: 'is_not_set' }, {}],
    ['of the request need no person', is('plan', 'pro'), { personProperties: { plan: 'pro' } }],
    [
      'of the request are all on request',
      { key: 'plan', operator: 'is_not_set' },
      { onlyRequestProperties: true },
      { plan: 'pro' },
    ],
    ['but for the distinct id', is('distinct_id', 'user-1'), { onlyRequestProperties: true }],
    [
      'of the person itself are none of theirs',
      { type: 'person_metadata', key: 'created_at', operator: 'is_date_before', value: '2024-01-02' },
      {},
      { created_at: '2030-01-01' },
    ],
    [
      'nobody was never created',
      { type: 'person_metadata', key: 'created_at', operator: 'is_not_set' },
      { personProperties: { created_at: '2024-01-01' } },
    ],
    ['a condition without a type is on the person', { type: null, ...is('plan', 'pro') }, {}, { plan: 'pro' }],
  ];
  for (const [rule, filter, request, stored] of cases) {
    it(rule, () => assert.ok(matches(filter, request, stored)));
  }

  it('no other property has an initial value made up', () => {
    assert.ok(!matches({ key: '$initial_plan', operator: 'is_set' }, {}, { plan: 'pro', $plan: 'pro' }));
  });

  it('have initial values of all that capture copies, but for places', () => {
    for (const [name, { initialName }] of COPIED) {
      const found = matches({ key: initialName, operator: 'is_set' }, {}, { [name]: 'x' });
      assert.equal(found, !name.startsWith('$geoip_'), name);
    }
  });

  it('missing, satisfy what says no, and nothing else', () => {
    const negative = [
      'is_not',
      'is_not_set',
      'not_icontains',
      'not_icontains_multi',
      'not_starts_with',
      'not_ends_with',
      'not_regex',
    ];
    for (const operator of negative) assert.ok(matches({ key: 'plan', operator, value: 'pro' }, {}), operator);
    assert.ok(matches({ key: 'age', operator: 'not_between', value: [1, 2] }, {}));
    const positive = [
      'exact',
      'is_set',
      'icontains',
      'icontains_multi',
      'starts_with',
      'ends_with',
      'regex',
      'gt',
      'lte',
      'semver_neq',
      'is_date_before',
    ];
    for (const operator of positive) assert.ok(!matches({ key: 'plan', operator, value: '1' }, {}), operator);
  });
});

describe('the settings of a project', () => {
  it('say how true and false compare', () => {
    const off = flagFor({ key: 'on', value: 'false', operator: 'exact' });
    const request = { personProperties: { on: 'maybe' } };
    assert.ok(decide(off, request).enabled);
    assert.ok(!decide(off, request, buildFacts(), { matchingVersion: 2 }).enabled);
  });

  it('say whose midnight a date is', () => {
    const since = flagFor({ key: 'seen', value: '2024-05-02', operator: 'is_date_before' });
    const request = { personProperties: { seen: '2024-05-01T23:00:00Z' } };
    assert.ok(decide(since, request).enabled);
    assert.ok(!decide(since, request, buildFacts(), { timeZone: 'Europe/Prague' }).enabled);
  });

  it('and relative dates are relative to the request', () => {
    const recent = flagFor({ key: 'seen', value: '-7d', operator: 'is_date_after' });
    assert.ok(decide(recent, { personProperties: { seen: '2024-05-30' } }).enabled);
    assert.ok(!decide(recent, { personProperties: { seen: '2024-05-20' } }).enabled);
  });
});
