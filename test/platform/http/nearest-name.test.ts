/** The name that was meant by one that does not exist. */
import assert from 'node:assert/strict';
import { misspellings, nearestName } from '../../../src/platform/http/nearest-name.ts';

describe('the nearest name', () => {
  for (const [name, paths, nearest] of [
    ['lable', ['scopes', 'label'], 'label'],
    ['dateFrom', ['date_to', 'date_from'], 'date_from'],
    ['grace', ['label', 'grace_seconds'], 'grace_seconds'],
    ['member', ['role', 'organization_member'], 'organization_member'],
    ['maths', ['math_property', 'math'], 'math'],
    ['breakdown', ['breakdownFilter', 'breakdownFilter.breakdown'], 'breakdownFilter.breakdown'],
    ['breakdownLimits', ['breakdown', 'breakdown_limit'], 'breakdown_limit'],
    ['afer', ['before', 'after'], 'after'],
    ['guide', ['id', 'order'], undefined],
    ['event', ['name', 'custom_name', 'type', 'kind'], undefined],
    ['xyzzy', ['type', 'x'], undefined],
    ['_', ['id'], undefined],
    ['x'.repeat(1_000_000), ['label'], undefined],
    ['anything', [], undefined],
  ] as const) {
    it(`of ${name.slice(0, 20)} in ${paths.join(', ') || 'none'} is ${nearest ?? 'none'}`, () => {
      assert.equal(nearestName(name, paths), nearest);
    });
  }
});

describe('a name that is hardly another', () => {
  const names = ['filters', 'start_at', 'name', 'key', 'to_dashboard', 'toDashboard', '$unset'];
  for (const [name, ...meant] of [
    ['filter', 'filters'],
    ['filterss', 'filters'],
    ['fliters', 'filters'],
    ['fitlers', 'filters'],
    ['folters', 'filters'],
    ['Filters', 'filters'],
    ['startAt', 'start_at'],
    ['star_at', 'start_at'],
    ['nam', 'name'],
    ['same', 'name'],
    ['unset', '$unset'],
    ['todashboards', 'to_dashboard', 'toDashboard'],
    ['fil_ter_', 'filters'],
    ['filt'],
    ['srtteat'],
    ['na'],
    ['keys'],
    [''],
    ['x'.repeat(1_000_000)],
  ] as const) {
    const [shortName, expected] = [name.slice(0, 20), meant.join(' or ')];
    it(`may mean it: ${shortName || 'nothing'} means ${expected || 'none'}`, () => {
      assert.deepEqual(misspellings(names)(name), [...meant]);
    });
  }
});
