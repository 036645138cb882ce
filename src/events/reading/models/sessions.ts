/**
 * Sessions: one row for each `$session_id` that got events in the window, made of all its events from a day before the window up to
 * its end and cutoff. A session that continues is delivered again by the next interval; tables then keep the newer row.
 * posthog-js ends a session after a day at most, so no row misses a session's beginning.
 */
import { EVENTS_WITH_PERSONS } from '../../table/person-states.ts';
import { CHANNEL_TYPE } from './channel-type.ts';
import { instantSql, integerSql } from './literals.ts';
import type { ModelSource, SourceColumn, Window } from './model.ts';

const LONGEST_SESSION_HOURS = 24;
const LONGEST_SESSION = `interval '${LONGEST_SESSION_HOURS} hours'`;
/** Typical bytes of a JSON line: some 50 names, and their values. */
const ROW_BYTES = 2500;

const PAGEVIEW = `event = '$pageview'`;
const AUTOCAPTURE = `event = '$autocapture'`;
const SCREEN = `event = '$screen'`;
/** A session with one page that was left within ten seconds bounced. */
const BOUNCE_SECONDS = 10;

/** Campaign parameters and click ids: each from the session's first event that has it. */
const CAMPAIGN = ['utm_source', 'utm_campaign', 'utm_medium', 'utm_term', 'utm_content'] as const;
const CLICK_IDS = ['gclid', 'fbclid', 'gad_source'] as const;
const MORE_CLICK_IDS = [
  'gclsrc',
  'dclid',
  'gbraid',
  'wbraid',
  'msclkid',
  'twclid',
  'li_fat_id',
  'mc_cid',
  'igshid',
  'ttclid',
  '_kx',
  'irclid',
] as const;

/**
 * The value of the first (`min`) or last (`max`) event that has one. `moment` orders events by time, then uuid. It comes first in the compared
 * array, so no sorting is needed and the answer does not depend on the order in which Postgres reads.
 */
function valueByTime(which: 'min' | 'max', value: string): string {
  return `(${which}(array[moment, ${value}]) filter (where ${value} is not null))[2]`;
}

function property(name: string): string {
  return `nullif(properties ->> '${name}', '')`;
}

const URL = property('$current_url');
/** Host of the URL. */
const HOST = `substring(${URL} from '^[a-z][a-z0-9+.-]*://([^/?#]+)')`;

const LCP = `case when jsonb_typeof(properties -> '$web_vitals_LCP_value') = 'number' then properties ->> '$web_vitals_LCP_value' end`;

/** Aggregates over a session's events, by the name of the column that they make. */
const AGGREGATES: Record<string, string> = {
  distinct_id: valueByTime('min', 'distinct_id'),
  person_properties: `${valueByTime('max', 'person_properties::text')}::jsonb`,
  start_timestamp: 'min("timestamp")',
  end_timestamp: 'max("timestamp")',
  interval_time: 'max(interval_time)',
  inserted_at: 'max(inserted_at)',
  urls: `coalesce(jsonb_agg(distinct ${URL}) filter (where ${URL} is not null), '[]')`,
  num_uniq_urls: `count(distinct ${URL})`,
  entry_current_url: valueByTime('min', URL),
  entry_pathname: valueByTime('min', property('$pathname')),
  entry_hostname: valueByTime('min', `coalesce(${property('$host')}, ${HOST})`),
  end_current_url: valueByTime('max', URL),
  end_pathname: valueByTime('max', property('$pathname')),
  end_hostname: valueByTime('max', `coalesce(${property('$host')}, ${HOST})`),
  entry_referring_domain: valueByTime('min', property('$referring_domain')),
  ...Object.fromEntries(
    [...CAMPAIGN, ...CLICK_IDS, ...MORE_CLICK_IDS].map((name) => [`entry_${name}`, valueByTime('min', property(name))]),
  ),
  pageview_count: `count(*) filter (where ${PAGEVIEW})`,
  autocapture_count: `count(*) filter (where ${AUTOCAPTURE})`,
  screen_count: `count(*) filter (where ${SCREEN})`,
  last_external_click_url: valueByTime('max', property('$external_click_url')),
  vitals_lcp: `${valueByTime('min', LCP)}::float8`,
};

const DURATION = 'extract(epoch from end_timestamp - start_timestamp)::bigint';
const PAGES = 'pageview_count + autocapture_count + screen_count';

/** Columns of the relation that are made of its aggregates. */
const DERIVED: Record<string, string> = {
  session_duration: DURATION,
  is_bounce: `case when ${PAGES} = 0 then null else ${PAGES} = 1 and ${DURATION} < ${BOUNCE_SECONDS} end`,
  channel_type: CHANNEL_TYPE,
};

/** @param where condition on the events that are read */
function relation(projectId: number, where: string): string {
  const aggregates = Object.entries(AGGREGATES).map(([name, sql]) => `${sql} as ${name}`);
  const derived = Object.entries(DERIVED).map(([name, sql]) => `${sql} as ${name}`);
  return `(select described.*, to_jsonb(described) - 'person_properties' as properties from (
      select grouped.*, ${derived.join(', ')} from (
        select ${integerSql(projectId)} as project_id, session_id, ${aggregates.join(', ')} from (
          select *, properties ->> '$session_id' as session_id,
            (to_char("timestamp" at time zone 'UTC', 'YYYYMMDDHH24MISSUS') || uuid::text) collate "C" as moment
          from ${EVENTS_WITH_PERSONS} where project_id = ${integerSql(projectId)} and ${where}
        ) as seen where session_id <> '' group by session_id
      ) as grouped
    ) as described) as sessions`;
}

function rows({ projectId, start, end, cutoff }: Window) {
  const seen = `interval_time >= ${instantSql(start)} - ${LONGEST_SESSION} and interval_time < ${instantSql(end)}
    and inserted_at < ${instantSql(cutoff)}`;
  return { from: relation(projectId, seen), where: `interval_time >= ${instantSql(start)}` };
}

const sourceColumn = (name: string, type: SourceColumn['type']): SourceColumn => ({ name, type, sql: name });

export const sessions: ModelSource = {
  model: 'sessions',
  rows,
  // Stands for sessions by the events that have one, because building all sessions would read the project's whole history.
  history: (projectId) => ({
    from: EVENTS_WITH_PERSONS,
    where: `project_id = ${integerSql(projectId)} and properties ? '$session_id'`,
    hasRelationColumns: false,
  }),
  rowId: `md5(concat_ws('/', project_id, session_id))::uuid`,
  bytes: String(ROW_BYTES),
  columns: [
    sourceColumn('session_id', 'text'),
    {
      name: 'session_id_v7',
      type: 'uuid',
      sql: `case when session_id ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then session_id::uuid end`,
    },
    { name: 'team_id', type: 'int8', sql: 'project_id::bigint' },
    sourceColumn('distinct_id', 'text'),
    sourceColumn('start_timestamp', 'timestamptz'),
    sourceColumn('end_timestamp', 'timestamptz'),
    sourceColumn('urls', 'jsonb'),
    sourceColumn('num_uniq_urls', 'int8'),
    ...['entry_current_url', 'entry_pathname', 'entry_hostname', 'end_current_url', 'end_pathname', 'end_hostname'].map(
      (name) => sourceColumn(name, 'text'),
    ),
    ...CAMPAIGN.map((name) => sourceColumn(`entry_${name}`, 'text')),
    sourceColumn('entry_referring_domain', 'text'),
    ...CLICK_IDS.map((name) => sourceColumn(`entry_${name}`, 'text')),
    sourceColumn('pageview_count', 'int8'),
    sourceColumn('autocapture_count', 'int8'),
    sourceColumn('screen_count', 'int8'),
    sourceColumn('channel_type', 'text'),
    sourceColumn('session_duration', 'int8'),
    { name: 'duration', type: 'int8', sql: 'session_duration' },
    sourceColumn('is_bounce', 'bool'),
    sourceColumn('last_external_click_url', 'text'),
    // Upstream counts only as far as a bounce needs.
    { name: 'page_screen_autocapture_count_up_to', type: 'int8', sql: `least(${PAGES}, 2)` },
    { name: 'exit_current_url', type: 'text', sql: 'end_current_url' },
    { name: 'exit_pathname', type: 'text', sql: 'end_pathname' },
    sourceColumn('vitals_lcp', 'float8'),
    { name: '_inserted_at', type: 'timestamptz', sql: 'greatest(inserted_at, end_timestamp)' },
    ...MORE_CLICK_IDS.map((name) => sourceColumn(`entry_${name}`, 'text')),
  ],
  tableOnly: new Set(),
  // No version: a later delivery is made from more events, but no column is sure to be higher, as all may lie before the session's end.
  merge: { key: ['team_id', 'session_id'], version: null },
  // An event that an import adds may change sessions of two days; they are delivered again on request.
  importable: false,
  eventsFromHoursBefore: LONGEST_SESSION_HOURS,
};
