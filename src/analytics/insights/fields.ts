/** Bodies of requests, turned into fields of an insight. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { InvalidInput } from '../../platform/errors.ts';
import { refuseUnknown } from '../queries/parsing/known-fields.ts';
import { parseQuery } from '../queries/parsing/parse.ts';
import type { Insight, InsightFields } from './insight.ts';
import { queryOfFilters } from './legacy-filters.ts';
import type { GivenInsight } from './schema.ts';

/** Absent stays absent. @throws InvalidInput naming the field */
export function givenFields(input: GivenInsight): Partial<InsightFields & Pick<Insight, 'deleted'>> {
  const { name, derived_name, description, tags, favorited, saved, deleted } = input;
  return omitUndefined({
    name,
    derived_name,
    description: description === null ? '' : description,
    query: givenQuery(input),
    tags: tags ? tagsOf(tags) : undefined,
    favorited,
    saved,
    deleted,
  });
}

/** Uses `filters` only without a `query`, because older clients send one of the two empty. */
function givenQuery({ query, filters }: GivenInsight): InsightFields['query'] | undefined {
  const legacy = query === undefined || query === null ? filtersOf(filters) : undefined;
  if (legacy) return translateFilters(legacy);
  if (query === undefined || query === null) return query;
  refuseUnknown(query);
  parseQuery(query);
  return query as Record<string, unknown>;
}

/** @throws InvalidInput naming `filters`, because the client sent no query that could be named */
function translateFilters(filters: Record<string, unknown>): Record<string, unknown> {
  const query = queryOfFilters(filters);
  try {
    parseQuery(query);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(`As a query: ${error.message}`, 'filters', error.code);
  }
  return query;
}

function filtersOf(value: unknown): Record<string, unknown> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) throw new InvalidInput('Must be a JSON object.', 'filters');
  return Object.keys(value).length > 0 ? (value as Record<string, unknown>) : undefined;
}

/** Lower-cases tags and drops repeated ones, as upstream does. */
function tagsOf(values: readonly string[]): string[] {
  const tags = values.map((tag) => tag.trim().toLowerCase()).filter((tag) => tag !== '');
  return [...new Set(tags)];
}
