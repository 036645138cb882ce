/** Bodies of requests, turned into fields of a dashboard. */
import { InvalidInput } from '../../platform/errors.ts';
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { limitValues } from '../../platform/http/value-limit.ts';
import type { DashboardFields } from './dashboards.store.ts';
import { ensureDates } from './filter-dates.ts';
import type { DashboardPatchBody, NewDashboardBody } from './schema.ts';

type Given = Omit<DashboardPatchBody, 'tiles' | 'duplicate_tiles'>;
type Json = Readonly<Record<string, unknown>>;

/**
 * Absent fields stay absent.
 * @throws InvalidInput naming the field
 */
export function givenFields(body: Given | NewDashboardBody): Partial<DashboardFields> {
  refuseQuickFilters(body.quick_filter_ids ?? []);
  const { name, description, pinned, deleted, restriction_level, data_color_theme_id, last_accessed_at } = body;
  return withoutAbsent({
    name,
    description,
    pinned,
    deleted,
    restriction_level,
    filters: filtersOf(body.filters),
    variables: dictionaryOf(body.variables, 'Variables', 'variables'),
    breakdown_colors: body.breakdown_colors === null ? [] : limitValues(body.breakdown_colors, 'breakdown_colors'),
    data_color_theme_id,
    tags: body.tags ? tagsOf(body.tags) : undefined,
    last_accessed_at: last_accessed_at ? readDatetime(last_accessed_at, 'last_accessed_at') : last_accessed_at,
  });
}

/** Returns filters as they were given; refuses only those that would fail every insight. */
function filtersOf(value: unknown): Json | undefined {
  const filters = dictionaryOf(value, 'Filters', 'filters');
  if (filters) ensureDates(filters);
  return filters;
}

/** Returns tags trimmed, in lower case, each once, in alphabetical order. */
export function tagsOf(texts: readonly string[]): string[] {
  const tags = texts.map((text) => text.trim().toLowerCase()).filter((tag) => tag !== '');
  return [...new Set(tags)].sort();
}

/** Null and similar values leave the field as it is; only an empty object clears it. */
export function dictionaryOf(value: unknown, subject: string, attr: string): Json | undefined {
  if (!value || (Array.isArray(value) && value.length === 0)) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return limitValues(value as Json, attr);
  throw new InvalidInput(`${subject} must be a dictionary`);
}

const UUID = /^[0-9a-f]{8}(-?[0-9a-f]{4}){3}-?[0-9a-f]{12}$/i;

/** Refuses every id, because quick filters cannot be created here. */
function refuseQuickFilters(ids: readonly string[]): void {
  const wrong = ids.find((id) => !UUID.test(id));
  if (wrong !== undefined) throw new InvalidInput(`Invalid UUID: ${wrong}`, 'quick_filter_ids');
  if (ids.length > 0) throw new InvalidInput(`Quick filters not found: ${ids.join(', ')}`, 'quick_filter_ids');
}

type Absent<Fields> = { [Name in keyof Fields]?: Fields[Name] | undefined };

function withoutAbsent(fields: Absent<DashboardFields>): Partial<DashboardFields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
