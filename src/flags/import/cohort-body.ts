/** Builds the API request that creates a cohort from an export. */
import { isDeepStrictEqual } from 'node:util';
import { NewCohortBody } from '../cohorts/cohorts.schema.ts';
import { parseCohortFilters, hasConditions } from '../cohorts/filters.ts';
import { filtersOfGroups } from '../cohorts/groups.ts';
import { invalidInput } from '../../platform/http/validation.ts';
import { compile } from '../../platform/schema.ts';
import type { Fields } from './exported.ts';
import { hasContent } from './flag-body.ts';

/** Fields that are imported, and fields that may be dropped because they do not affect who is in a cohort. */
const KNOWN = new Set([
  'id',
  'name',
  'description',
  'filters',
  'groups',
  'is_static',
  'deleted',
  'version',
  'pending_version',
  'count',
  'is_calculating',
  'last_calculation',
  'last_backfill_person_properties_at',
  'errors_calculating',
  'last_error_at',
  'last_error_code',
  'last_error_message',
  'created_by',
  'created_at',
  'cohort_type',
  'user_access_level',
  '_create_in_folder',
]);

export function isStatic(fields: Fields): boolean {
  return fields['is_static'] === true;
}

/**
 * @param replaceIds replaces the ids of the export by the ids of this server, in place; it may throw
 * @returns the body of a request that creates the cohort; for a static one, without its persons
 */
export function cohortBody(fields: Fields, replaceIds: (body: Fields) => void): Record<string, unknown> {
  const { name, description, filters, groups } = fields;
  const about = { name, ...((description ?? null) !== null && { description }) };
  if (isStatic(fields)) return about;
  // Upstream's lists have both fields, and one of them may be empty.
  const conditions = hasConditions(filters) || !hasContent(groups) ? { filters } : { groups };
  const body = structuredClone({ ...about, ...conditions });
  replaceIds(body);
  return body;
}

export function cohortFieldsLeftOut(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => !KNOWN.has(name) && hasContent(fields[name]));
}

const isBody = compile(NewCohortBody);

/**
 * Checks a body as the API does, except for its references, without a request.
 * @throws InvalidInput naming the field
 */
export function checkCohortBody(body: Fields): void {
  const given = structuredClone(body);
  if (!isBody(given)) throw invalidInput(isBody.errors ?? [], NewCohortBody);
  parseCohortFilters(conditionsIn(given) ?? {});
}

/**
 * @param present the cohort as the API shows it
 * @param body the wanted fields
 * @returns the names of fields that have to change
 * @throws InvalidInput naming a field that the API would refuse
 */
export function cohortDifferences(present: Fields, body: Fields): string[] {
  const differingFields: string[] = [];
  if (body['description'] !== undefined && body['description'] !== present['description'])
    differingFields.push('description');
  if (('filters' in body || 'groups' in body) && !isDeepStrictEqual(present['filters'], wantedFilters(body))) {
    differingFields.push('filters');
  }
  return differingFields;
}

function wantedFilters(body: Fields): unknown {
  return JSON.parse(JSON.stringify(parseCohortFilters(conditionsIn(body) ?? {})));
}

function conditionsIn({ filters, groups }: Fields): unknown {
  return filters ?? (Array.isArray(groups) ? filtersOfGroups(groups as Fields[]) : undefined);
}
