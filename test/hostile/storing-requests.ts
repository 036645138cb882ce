/** Requests of a member that store as much as is taken. */
import { LETTERS, members, ofEvent, ofPerson, times, unique, type Ask } from './member-bodies.ts';
import type { HostileRequest } from './world.ts';

/** A hundred to a condition set. */
const conditions =
  (each: (index: number) => object, count = 8000) =>
  () => ({
    groups: times(Math.ceil(count / 100), (set) => ({ properties: times(100, (at) => each(set * 100 + at)) })),
  });
const all = (values: unknown[]) => ({ type: 'AND', values });

export function storingRequests(ask: Ask): HostileRequest[] {
  const flag = (what: string, filters: () => unknown, rest: object = {}) =>
    ask(what, '/feature_flags/', () => ({ key: unique(), filters: filters(), ...rest }));
  const cohort = (what: string, properties: () => unknown) =>
    ask(what, '/cohorts/', () => ({ name: unique(), filters: { properties: properties() } }));
  return [
    flag(
      '8,000 texts',
      conditions((at) => ofPerson('exact', 'a', at)),
    ),
    flag(
      '8,000 lists',
      conditions((at) => ofPerson('exact', ['a', 'b'], at), 7000),
    ),
    flag(
      '8,000 dates',
      conditions((at) => ofPerson('is_date_after', '2024-01-01T00:00:00+02:00', at), 7000),
    ),
    flag(
      '8,000 versions',
      conditions((at) => ofPerson('semver_gt', '18446744073709551615.2.3-a.b.c', at), 7000),
    ),
    flag(
      '5,000 patterns',
      conditions((at) => ofPerson('regex', unique(), at), 5000),
    ),
    flag(
      'patterns of classes',
      conditions((at) => ofPerson('regex', `${LETTERS}x${unique()}`, at), 100),
    ),
    flag(
      'cohorts',
      conditions(() => ({ type: 'cohort', key: 'id', operator: 'in', value: 1 })),
    ),
    flag(
      'other flags',
      conditions(() => ({ type: 'flag', key: '1', operator: 'flag_evaluates_to', value: true })),
    ),
    flag('a large payload', () => ({ groups: [{ rollout_percentage: 100 }], payloads: { true: 'a'.repeat(900_000) } })),
    flag('a wide payload', () => ({ groups: [{ rollout_percentage: 100 }], payloads: { true: members(45_000) } })), // prettier-ignore
    flag('1,000 condition sets', () => ({ groups: times(1000, (at) => ({ properties: [], rollout_percentage: at / 20, description: 'd'.repeat(800) })) })), // prettier-ignore
    flag('what clients send', () => ({
      groups: times(10, () => ({ properties: [], users_affected: times(4900, () => 1) })),
    })),
    cohort('1,000 texts of 900 characters', () => all(times(1000, (at) => ofPerson('exact', 'a'.repeat(850), at)))),
    cohort('900 patterns', () => all(times(900, (at) => ofPerson('regex', `^${unique()}$`, at)))),
    cohort('lists of 1,000', () =>
      all(
        times(45, (at) =>
          ofPerson(
            'exact',
            times(1000, (n) => `v${n}`),
            at,
          ),
        ),
      ),
    ),
    cohort('lists to search', () =>
      all(
        times(45, (at) =>
          ofPerson(
            'icontains_multi',
            times(1000, (n) => `v${n}`),
            at,
          ),
        ),
      ),
    ),
    ask('a survey', '/surveys/', () => ({ name: unique(), type: 'popover', questions: times(100, () => ({ type: 'multiple_choice', question: 'q'.repeat(500), choices: times(190, (at) => `choice ${at} ${'c'.repeat(20)}`) })) })), // prettier-ignore
    ask('questions of HTML', '/surveys/', () => ({ name: unique(), type: 'popover', questions: times(100, () => ({ type: 'open', question: '<'.repeat(4000), description: '<a '.repeat(1500), descriptionContentType: 'html' })) })), // prettier-ignore
    ask('an appearance', '/surveys/', () => ({ name: unique(), type: 'popover', questions: [{ type: 'open', question: '?' }], appearance: Object.fromEntries(times(40_000, (at) => [`a${at}`, 'x'.repeat(10)])) })), // prettier-ignore
    ask('a large one', '/early_access_feature/', () => ({
      name: unique(),
      stage: 'beta',
      payload: { a: 'a'.repeat(900_000) },
    })),
    ask('a wide one', '/early_access_feature/', () => ({ name: unique(), stage: 'beta', payload: members(45_000) })), // prettier-ignore
    ask('metrics', '/experiments/', () => ({ name: unique(), feature_flag_key: unique(), parameters: { x: times(40_000, () => 1) } })), // prettier-ignore
    ask('filters', '/experiments/', () => ({ name: unique(), feature_flag_key: unique(), metrics: times(20, () => ({ kind: 'ExperimentMetric', metric_type: 'mean', source: { kind: 'EventsNode', event: 'a', properties: times(99, (at) => ofEvent('exact', 'x'.repeat(300), at)) } })) })), // prettier-ignore
    ask('a holdout', '/experiment_holdouts/', () => ({ name: unique(), filters: [{ properties: times(9000, (at) => ofPerson('exact', 'a', at)), rollout_percentage: 10 }] })), // prettier-ignore
    ask('a query', '/insights/', () => ({ name: unique(), query: { kind: 'TrendsQuery', series: times(20, () => ({ kind: 'EventsNode', properties: times(90, (at) => ofEvent('exact', 'x'.repeat(450), at)) })) } })), // prettier-ignore
    ask('old filters', '/insights/', () => ({ name: unique(), filters: { events: times(20, (at) => ({ id: `e${at}`, properties: times(400, (n) => ofEvent('exact', 'x', n)) })) } })), // prettier-ignore
    ask('500 texts', '/dashboards/', () => ({ name: unique(), tiles: times(500, () => ({ text: { body: '**a** _b_ [c](http://d) '.repeat(80) } })) })), // prettier-ignore
    ask('500 texts of stars', '/dashboards/', () => ({ name: unique(), tiles: times(500, () => ({ text: { body: '*_`['.repeat(480) } })) })), // prettier-ignore
    ask('250 texts in levels', '/dashboards/', () => ({ name: unique(), tiles: times(250, () => ({ text: { body: '> '.repeat(1990) } })) })), // prettier-ignore
    ask('500 buttons', '/dashboards/', () => ({ name: unique(), tiles: times(500, () => ({ button_tile: { url: 'https://a.b', text: 'x' } })) })), // prettier-ignore
    ask('500 insights', '/dashboards/', () => ({ name: unique(), tiles: times(500, (at) => ({ insight: { name: `i${at}`, query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }] } } })) })), // prettier-ignore
    ask('variables', '/dashboards/', () => ({ name: unique(), variables: members(45_000) })), // prettier-ignore
    ask('filters', '/dashboards/', () => ({ name: unique(), filters: { properties: times(99, (at) => ofEvent('exact', 'x'.repeat(9000), at)) } })), // prettier-ignore
    ask('a template', '/dashboards/create_from_template_json/', () => ({ template: { template_name: unique(), tiles: times(450, (at) => ({ type: 'INSIGHT', name: `i${at}`, query: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event: '{V}' }] } })), variables: times(500, (at) => ({ id: `V${at}`, name: 'V', type: 'event', default: { id: 'a' } })) } })), // prettier-ignore
    ask('a template of many variables', '/dashboards/create_from_template_json/', () => ({ template: { template_name: unique(), tiles: times(400, () => ({ type: 'TEXT', body: '{V1}'.repeat(400) })), variables: times(5000, (at) => ({ id: `V${at}`, name: 'V', type: 'event', default: { id: 'a' } })) } })), // prettier-ignore
    ask('a large group', '/groups/', () => ({ group_type_index: 0, group_key: unique(), group_properties: members(24_900) })), // prettier-ignore
    ask('too large a group', '/groups/', () => ({ group_type_index: 0, group_key: unique(), group_properties: members(45_000) })), // prettier-ignore
    ask('layouts', '/dashboards/', () => ({ name: unique(), tiles: times(500, (at) => ({ text: { body: 'x' }, layouts: { sm: { x: 0, y: at, w: 12, h: 1000 } } })) })), // prettier-ignore
  ];
}

/** Cohorts from files, and fields of forms. */
export function formRequests(projectId: number, key: string): HostileRequest[] {
  const form = (what: string, fields: () => Readonly<Record<string, string>>, csv?: () => string): HostileRequest => ({
    what: `POST /cohorts/ as a form, ${what}`,
    path: `/api/projects/${projectId}/cohorts/`,
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'multipart/form-data; boundary=b' },
    body: () => {
      const parts = Object.entries({ name: unique(), ...fields() }).map(
        ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
      );
      const file = csv ? `--b\r\nContent-Disposition: form-data; name="csv"; filename="a.csv"\r\n\r\n${csv()}\r\n` : '';
      return `${parts.join('')}${file}--b--\r\n`;
    },
  });
  const file = (what: string, csv: () => string) => form(`a file of ${what}`, () => ({ is_static: 'true' }), csv);
  return [
    form('deep filters', () => ({
      filters: `{"properties":${'{"type":"AND","values":['.repeat(30_000)}${']}'.repeat(30_000)}}`,
    })),
    form('deep lists', () => ({ filters: '['.repeat(400_000) + ']'.repeat(400_000) })),
    form('wide filters', () => ({ filters: `{"properties":{"type":"AND","values":[${'{},'.repeat(300_000)}{}]}}` })),
    form('many members', () => ({ groups: `[{${times(70_000, (at) => `"a${at}":1`).join()}}]` })),
    file('ids', () => times(150_000, (at) => `user-${at}`).join('\n')),
    file('one line', () => 'a,'.repeat(900_000)),
    file('quotes', () => '"'.repeat(1_800_000)),
    file('a cell', () => `"${'a'.repeat(1_800_000)}`),
    file('empty lines', () => '\n'.repeat(1_800_000)),
    file('cells', () => `distinct_id,${'a,'.repeat(400)}\n`.repeat(2000)),
  ];
}
