/** An export as its form holds it, and the request bodies made from it. */
import type { components } from '../../api/schema.d.ts';
import { isOfCalendar } from '../words/cadence.ts';
import { attrOf, CONFIG, type Config, type DestinationType } from './destination-types.ts';

type NewExport = components['schemas']['NewBatchExport'];
export type Patch = components['schemas']['BatchExportPatch'];
type Saved = components['schemas']['BatchExport'];
export type Transformation = components['schemas']['Transformation'];
export type Notifications = components['schemas']['NotificationsIn'];
export type FilterType = 'event' | 'person' | 'hogql';
export type Filter = { key: string; type: FilterType; operator?: string | null; value?: unknown };
/** A number, or a text that the server will refuse; null: none. */
export type TypedNumber = number | string | null;

export type Draft = {
  name: string;
  model: 'events' | 'persons' | 'sessions';
  interval: string;
  timezone: string;
  offset_day: number | null;
  offset_hour: number | null;
  jitter_seconds: TypedNumber;
  start_at: string | null;
  end_at: string | null;
  destination: { type: string; config: Config; integration: number | null };
  filters: readonly Filter[];
  hogql_query: string | null;
  include_columns: readonly string[] | null;
  exclude_columns: readonly string[];
  transformations: readonly Transformation[];
  /** Empty: the server keeps its key, or generates one. */
  hash_key: string;
  max_concurrent_runs: TypedNumber;
  freshness_target_seconds: TypedNumber;
  redeliver_stale: boolean;
  notifications: Notifications | null;
};

/** Labels of the fields. A field of the API that the form lacks does not compile; `paused` belongs to the export's page. */
export const NAMES: Readonly<Record<Exclude<keyof NewExport, 'paused'>, string>> = {
  name: 'Name',
  model: 'What',
  interval: 'Every',
  timezone: 'Time zone',
  offset_day: 'Weeks begin on',
  offset_hour: 'Begins at',
  jitter_seconds: 'Random delay',
  start_at: 'Start',
  end_at: 'End',
  destination: 'Where to',
  filters: 'Filters',
  hogql_query: 'Custom query',
  include_columns: 'Only these columns',
  exclude_columns: 'Columns left out',
  transformations: 'Changed values',
  hash_key: 'Key for hashes',
  max_concurrent_runs: 'Runs at once',
  freshness_target_seconds: 'Late after',
  redeliver_stale: 'Deliver stale intervals again',
  notifications: 'Notifications',
};

export function newDraft(destination: Draft['destination']): Draft {
  return {
    name: '',
    model: 'events',
    interval: 'hour',
    timezone: 'UTC',
    offset_day: null,
    offset_hour: null,
    jitter_seconds: 0,
    start_at: null,
    end_at: null,
    destination,
    filters: [],
    hogql_query: null,
    include_columns: null,
    exclude_columns: [],
    transformations: [],
    hash_key: '',
    max_concurrent_runs: 10,
    freshness_target_seconds: null,
    redeliver_stale: false,
    notifications: null,
  };
}

export function draftOf(saved: Saved): Draft {
  const own = Object.keys(newDraft(saved.destination)).map((name) => [name, saved[name as keyof Saved]]);
  const filters = (saved.filters ?? []) as readonly unknown[] as readonly Filter[];
  return { ...(Object.fromEntries(own) as Draft), filters, hash_key: '' };
}

/** Fields of a form by their names in errors, as the console sends and compares them. */
export type Fields = Readonly<Record<string, unknown>>;

const INTEGRATION = 'destination__integration';
const TYPE = 'destination__type';

/** @param type absent: it is not offered any more */
export function fieldsOf(draft: Draft, type: DestinationType | undefined): Fields {
  const { destination, ...own } = draft;
  const { config, integration } = destination;
  const integrationFields = integration === null ? [] : (type?.integration?.fields ?? []);
  const configEntries = Object.entries(config).filter(
    ([name, value]) => value !== undefined && !integrationFields.includes(name),
  );
  const { emails: lines = [], webhook = null } = draft.notifications ?? {};
  const emails = lines.filter((line) => line.trim() !== '');
  return {
    ...own,
    offset_day: draft.interval === 'week' ? (draft.offset_day ?? 0) : null,
    offset_hour: isOfCalendar(draft.interval) ? (draft.offset_hour ?? 0) : null,
    hogql_query: draft.hogql_query?.trim() ? draft.hogql_query : null,
    notifications:
      emails.length === 0 && webhook === null ? null : { webhook, emails, on: draft.notifications?.on ?? [] },
    [TYPE]: destination.type,
    [INTEGRATION]: integration,
    ...Object.fromEntries(configEntries.map(([name, value]) => [attrOf(name), withoutBlankEnd(value)])),
  };
}

/** A list without the line on which its next item is typed. */
function withoutBlankEnd(value: unknown): unknown {
  return Array.isArray(value) && value.at(-1) === '' ? value.slice(0, -1) : value;
}

export function draftFrom(fields: Fields): Draft {
  const entries = Object.entries(fields);
  const own = entries.filter(([name]) => !name.startsWith('destination__'));
  const config = entries.filter(([name]) => name.startsWith(CONFIG));
  return {
    ...(Object.fromEntries(own) as unknown as Draft),
    destination: {
      type: fields[TYPE] as string,
      integration: fields[INTEGRATION] as number | null,
      config: Object.fromEntries(config.map(([name, value]) => [name.slice(CONFIG.length), value])),
    },
  };
}

/** @returns the names of fields that differ, in the order of the form */
export function changedFields(before: Fields, after: Fields): string[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].filter((name) => !isSame(before[name], after[name]));
}

/** No value and null are the same to the API. */
export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

export function newBody(fields: Fields): NewExport {
  const { destination, hash_key, ...own } = draftFrom(fields);
  return { ...own, ...(hash_key !== '' && { hash_key }), destination } as NewExport;
}

/** @returns the changed fields; a configuration field that was removed gets its default, or null */
export function patchBody(before: Fields, after: Fields, type: DestinationType | undefined): Patch {
  // The form does not know stored secrets, so a secret that was set to null does not count as changed.
  const dropped = type?.fields.filter(({ name, secret }) => secret && after[attrOf(name)] === null) ?? [];
  const changed = [...changedFields(before, after), ...dropped.map(({ name }) => attrOf(name))];
  const own = changed.filter((name) => !name.startsWith('destination__'));
  const config = changed
    .filter((name) => name.startsWith(CONFIG))
    .map((attr) => {
      const name = attr.slice(CONFIG.length);
      return [name, after[attr] ?? type?.fields.find((one) => one.name === name)?.default ?? null] as const;
    })
    .filter(([name]) => after[INTEGRATION] === null || !type?.integration?.fields.includes(name));
  const hasDestinationChange = config.length > 0 || changed.includes(INTEGRATION);
  return {
    ...(Object.fromEntries(own.map((name) => [name, after[name]])) as Patch),
    ...(hasDestinationChange && {
      destination: {
        type: after[TYPE] as string,
        config: Object.fromEntries(config),
        ...(changed.includes(INTEGRATION) && { integration: after[INTEGRATION] as number | null }),
      },
    }),
  };
}
