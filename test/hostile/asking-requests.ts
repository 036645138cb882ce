/** Requests of a member that ask for what takes long to read, to compute or to write. */
import { LETTERS, ofEvent, ofPerson, times, unique, type Ask } from './member-bodies.ts';
import { filled } from './shapes.ts';
import type { HostileRequest } from './world.ts';

const BUCKET = {
  type: 'S3',
  config: {
    bucket_name: 'files',
    region: 'eu-west-1',
    prefix: 'x',
    aws_access_key_id: 'a',
    aws_secret_access_key: 'b',
  },
};
const expression = (key: string) => ({ type: 'hogql', key });
const alternatives = (length: number) => times(Math.floor(length / 18), () => 'properties.a=1').join(' or ');

const trends = (rest: object) => ({ kind: 'TrendsQuery', series: [{ kind: 'EventsNode' }], ...rest });

export function askingRequests(ask: Ask): HostileRequest[] {
  const query = (what: string, body: () => object) => ask(what, '/query/', () => ({ query: body() }));
  const draft = (what: string, rest: () => object) =>
    ask(what, '/batch_exports/preview/', () => ({ name: 'x', interval: 'hour', destination: BUCKET, ...rest() })); // prettier-ignore
  return [
    query('expressions', () =>
      trends({ properties: [expression(alternatives(19_000)), expression(alternatives(19_000))] }),
    ),
    query('expressions beyond', () => trends({ properties: times(48, () => expression(alternatives(19_000))) })),
    query('expressions of lists', () => trends({ properties: times(2, () => expression(`event in (${times(6000, () => '1').join()})`)) })), // prettier-ignore
    query('patterns', () =>
      trends({ properties: times(20, (at) => ofEvent('regex', LETTERS.repeat(4) + unique(), at)) }),
    ),
    query('patterns of alternatives', () => trends({ properties: times(9, (at) => ofEvent('regex', times(1400, () => unique()).join('|').slice(0, 9900), at)) })), // prettier-ignore
    query('series', () => ({ kind: 'TrendsQuery', series: times(20, () => ({ kind: 'EventsNode', properties: times(100, (at) => ofEvent('exact', 'x'.repeat(400), at)) })) })), // prettier-ignore
    query('lists', () =>
      trends({
        properties: times(45, (at) =>
          ofEvent(
            'exact',
            times(1000, (n) => `v${n}`),
            at,
          ),
        ),
      }),
    ),
    query('lists to search', () => trends({ properties: times(45, (at) => ofEvent('icontains_multi', times(1000, (n) => `v${n}`), at)) })), // prettier-ignore
    query('long texts', () => trends({ properties: times(9, (at) => ofEvent('icontains', 'x'.repeat(99_000), at)) })),
    query('points', () => trends({ interval: 'hour', dateRange: { date_from: '-80d' }, breakdownFilter: { breakdown: 'n', breakdown_type: 'event', breakdown_limit: 100 }, trendsFilter: { smoothingIntervals: 100 } })), // prettier-ignore
    query('formulas', () => ({ kind: 'TrendsQuery', interval: 'hour', dateRange: { date_from: '-80d' }, series: times(20, () => ({ kind: 'EventsNode' })), breakdownFilter: { breakdown: 'n', breakdown_type: 'event', breakdown_limit: 100 }, trendsFilter: { formulas: times(20, () => `A${'+T'.repeat(199)}`) } })), // prettier-ignore
    query('a comparison', () => ({ kind: 'TrendsQuery', interval: 'hour', dateRange: { date_from: '-80d' }, series: times(20, () => ({ kind: 'EventsNode', math: 'p99', math_property: 'n' })), compareFilter: { compare: true } })), // prettier-ignore
    query('a funnel', () => ({ kind: 'FunnelsQuery', series: times(20, () => ({ kind: 'EventsNode' })), dateRange: { date_from: 'all' } })), // prettier-ignore
    query('retention', () => ({ kind: 'RetentionQuery', retentionFilter: { totalIntervals: 100, period: 'Hour', targetEntity: { id: null }, returningEntity: { id: null } } })), // prettier-ignore
    query('a table', () => ({
      kind: 'EventsQuery',
      select: ['*', 'properties', 'person.properties'],
      limit: 1000,
      after: 'all',
    })),
    query('a table of columns', () => ({ kind: 'EventsQuery', select: times(50, (at) => `properties.p${at}`), limit: 1000, after: 'all' })), // prettier-ignore
    query('a table where', () => ({ kind: 'EventsQuery', select: ['event'], where: times(4, () => alternatives(9900)), after: 'all' })), // prettier-ignore
    query('many names', () => trends(Object.fromEntries(times(45_000, (at) => [`showx${at}`, 1])))),
    query('many looks', () => trends({ trendsFilter: Object.fromEntries(times(45_000, (at) => [`showX${at}`, 1])) })),
    query('many series', () => ({ kind: 'TrendsQuery', series: times(24_000, () => ({ kind: 'EventsNode' })) })),
    query('a long name', () => trends({ ['x'.repeat(900_000)]: 1 })),
    ask('dashboard filters', '/query/', () => ({ query: trends({}), filters_override: { properties: times(99, (at) => ofEvent('exact', 'x'.repeat(9000), at)) } })), // prettier-ignore
    ask('patterns', '/feature_flags/user_blast_radius/', () => ({ condition: { properties: times(900, (at) => ofPerson('regex', unique(), at)) } })), // prettier-ignore
    ask('lists', '/feature_flags/user_blast_radius/', () => ({ condition: { properties: times(45, (at) => ofPerson('icontains_multi', times(1000, (n) => `v${n}`), at)) } })), // prettier-ignore
    ask('texts', '/feature_flags/user_blast_radius/', () => ({ condition: { properties: times(1000, (at) => ofPerson('exact', 'x'.repeat(850), at)) } })), // prettier-ignore
    draft('expressions', () => ({ filters: [expression(alternatives(19_000)), expression(alternatives(19_000))] })),
    draft('filters', () => ({
      filters: times(100, (at) =>
        ofEvent(
          'exact',
          times(400, (n) => `v${n}`),
          at,
        ),
      ),
    })),
    draft('lists to search', () => ({
      filters: times(45, (at) =>
        ofEvent(
          'icontains_multi',
          times(1000, (n) => `v${n}`),
          at,
        ),
      ),
    })),
    draft('a custom query', () => ({ hogql_query: `select ${times(199, (at) => `properties.a${at} || properties.b${at} as c${at}`).join()} from events` })), // prettier-ignore
    draft('a custom query of CASEs', () => ({ hogql_query: `select ${'case '.repeat(30)}properties.a${" when '1' then '2' when '3' then '4' end".repeat(30)} as c from events` })), // prettier-ignore
    draft('a custom query of sums', () => ({ hogql_query: `select ${times(190, (at) => `1${'+properties.a'.repeat(6)} as c${at}`).join()} from events` })), // prettier-ignore
    draft('columns', () => ({ include_columns: times(45_000, (at) => `event${at}`) })),
    draft('transformations', () => ({
      transformations: times(20_000, (at) => ({ path: `properties.a${at}`, action: 'hash' })),
    })),
    draft('deep transformations', () => ({ transformations: times(90, () => ({ path: `properties${'.a'.repeat(4000)}`, action: 'hash' })) })), // prettier-ignore
    draft('a prefix', () => ({
      destination: { ...BUCKET, config: { ...BUCKET.config, prefix: '{year}'.repeat(150_000) } },
    })),
    draft('notifications', () => ({ notifications: { emails: times(40_000, (at) => `a${at}@b.c`), on: times(5000, () => 'failed') } })), // prettier-ignore
    draft('a wide interval', () => ({ data_interval_start: '1970-01-01T00:00:00Z', data_interval_end: '9999-01-01T00:00:00Z' })), // prettier-ignore
    ask('ids', '/persons/bulk_delete/', () => ({ distinct_ids: filled(900_000, (at) => `d${at}`).slice(0, 49_000) })),
    ask('ids', '/cohorts/', () => ({ name: unique(), is_static: true, _create_static_person_ids: times(25_000, (at) => `00000000-0000-4000-8000-${String(at).padStart(12, '0')}`) })), // prettier-ignore
  ];
}

/** With as much on a page as there may be. */
export function readingRequests(get: (path: string) => HostileRequest): HostileRequest[] {
  const lists = [
    'feature_flags', 'cohorts', 'surveys', 'experiments', 'experiment_holdouts', 'early_access_feature', 'insights', 'dashboards',
    'activity_log', 'events', 'persons', 'batch_exports', 'integrations', 'ingestion_warnings', 'feature_flags/usage',
    'feature_flags/requests', 'feature_flags/activity', 'groups_types',
  ]; // prettier-ignore
  return [
    ...lists.map((path) => get(`/${path}/?limit=1000`)),
    get('/groups/?group_type_index=0&limit=1000'),
    ...lists.map((path) => get(`/${path}/?limit=1000&offset=2147483647&search=${'a'.repeat(10_000)}`)),
    get('/insights/?limit=1000&basic=true&search=%25%25%25'),
    get('/feature_flags/my_flags/'),
    get('/feature_flags/evaluation_reasons/?distinct_id=u'),
    get(`/feature_flags/my_flags/?groups=${encodeURIComponent('['.repeat(3000))}`),
    ...[1, 2, 3, 4, 5, 6, 7, 8].flatMap((id) => [get(`/dashboards/${id}/`), get(`/dashboards/${id}/run_insights/`), get(`/dashboards/${id}/stream_tiles/`)]), // prettier-ignore
    ...[1, 12, 15].flatMap((id) => [get(`/feature_flags/${id}/`), get(`/feature_flags/${id}/activity/?limit=1000`)]),
    ...[1, 2, 3, 4].map((id) => get(`/cohorts/${id}/persons/?limit=1000`)),
    get(`/dashboards/1/?filters_override=${encodeURIComponent(`{"properties":${'['.repeat(4000)}`)}`),
  ];
}
