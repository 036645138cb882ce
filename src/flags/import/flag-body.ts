/** Builds the API request that creates a flag from an export. */
import { isDeepStrictEqual } from 'node:util';
import { InvalidInput } from '../../platform/errors.ts';
import { validateNewFlag } from '../feature-flags.ts';
import { validateFilters } from '../feature-flags/checks/check-filters.ts';
import { ignoredFields } from '../feature-flags/checks/ignored-fields.ts';
import { extractSecretPayload } from '../feature-flags/encrypted-payloads.ts';
import { parseNewFlag } from '../feature-flags/fields.ts';
import { conditionsOf, withFullRollout, type FlagFilters } from '../feature-flags/filters.ts';
import { NewFlagBody } from '../feature-flags/schema.ts';
import { invalidInput } from '../../platform/http/validation.ts';
import { compile } from '../../platform/schema.ts';
import { isFields, type Fields } from './exported.ts';

const IMPORTED: readonly string[] = [
  'key',
  'name',
  'filters',
  'active',
  'tags',
  'evaluation_runtime',
  'bucketing_identifier',
  'evaluation_contexts',
  'evaluation_tags',
  'ensure_experience_continuity',
  'is_remote_configuration',
  'has_encrypted_payloads',
];

/** Fields that are imported, and fields that may be dropped: authors, display, and values that follow from other fields. */
const KNOWN = new Set([
  ...IMPORTED,
  'id',
  'team_id',
  'deleted',
  'version',
  'status',
  'created_by',
  'created_at',
  'creation_context',
  'updated_at',
  'last_modified_by',
  'last_called_at',
  'can_edit',
  'user_access_level',
  'is_simple_flag',
  'rollout_percentage',
  'local_evaluation',
  'experiment_set_metadata',
  'usage_dashboard',
  'analytics_dashboards',
  'has_enriched_analytics',
  'is_used_in_replay_settings',
  '_create_in_folder',
  '_should_create_usage_dashboard',
]);

/** Alternative names of fields, which upstream sends in addition. */
const SECOND_NAMES: Readonly<Record<string, string>> = { evaluation_tags: 'evaluation_contexts' };

/**
 * @param replaceIds replaces the ids of the export by the ids of this server, in place; it may throw
 * @returns the body of a request that creates the flag
 * @throws InvalidInput for missing filters, whose default would turn the flag on for everybody
 */
export function flagBody(fields: Fields, replaceIds: (filters: Fields) => void): Record<string, unknown> {
  if (!isFields(fields['filters'])) {
    throw new InvalidInput('A flag without filters would be on for everybody.', 'filters', 'required');
  }
  const body: Record<string, unknown> = {};
  for (const name of IMPORTED) {
    const isSecond = Object.hasOwn(SECOND_NAMES, name) && (fields[SECOND_NAMES[name]!] ?? null) !== null;
    if (!isSecond && (fields[name] ?? null) !== null) body[name] = structuredClone(fields[name]);
  }
  const filters = body['filters'] as Record<string, unknown>;
  // An encrypted payload is only a mask in the export.
  if (isEncrypted(fields)) delete filters['payloads'];
  replaceIds(filters);
  return body;
}

/** Whether the flag's payload is encrypted, so the export has only a mask. */
export function isEncrypted(fields: Fields): boolean {
  return fields['has_encrypted_payloads'] === true;
}

/** Whether the flag has a payload. */
export function hasPayload({ filters }: Fields): boolean {
  const payloads = isFields(filters) ? filters['payloads'] : undefined;
  return isFields(payloads) && Object.keys(payloads).length > 0;
}

/** Names of fields in the export that have a value but cannot be imported. */
export function fieldsLeftOut(fields: Fields): string[] {
  return Object.keys(fields).filter((name) => !KNOWN.has(name) && hasContent(fields[name]));
}

export function hasContent(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (isFields(value)) return Object.keys(value).length > 0;
  return value !== null && value !== undefined && value !== false && value !== '';
}

const isBody = compile(NewFlagBody);

/**
 * Checks a body as the API does, except for its references, without a request.
 * @returns fields of its filters that the API would ignore
 * @throws InvalidInput naming the field
 */
export function validateFlagBody(body: Fields): readonly string[] {
  const given = structuredClone(body);
  if (!isBody(given)) throw invalidInput(isBody.errors ?? [], NewFlagBody);
  extractSecretPayload(validateNewFlag(parseNewFlag(given)));
  return ignoredFields(given.filters).ignored_members ?? [];
}

/**
 * @param present the flag as the API shows it
 * @param body the wanted fields; absent ones are not compared
 * @returns the names of fields that have to change
 * @throws InvalidInput naming a field that the API would refuse
 */
export function flagDifferences(present: Fields, body: Fields): string[] {
  const names = Object.keys(body).filter((name) => name !== 'evaluation_tags');
  if (body['evaluation_tags'] !== undefined) names.push('evaluation_contexts');
  const wanted = storedFieldsOf(body);
  return names.filter(
    (name) => !isDeepStrictEqual(comparable(name, present[name], body), comparable(name, wanted[name], body)),
  );
}

/** Fields as the API would show them after storing the body. @throws InvalidInput if it would refuse the body */
function storedFieldsOf(body: Fields): Fields {
  const given = structuredClone(body);
  if (!isBody(given)) throw invalidInput(isBody.errors ?? [], NewFlagBody);
  const { tags, evaluationContexts } = parseNewFlag(given);
  const checked = validateFilters(given.filters);
  const filters = given.is_remote_configuration === true ? withFullRollout(checked) : checked;
  return JSON.parse(JSON.stringify({ ...given, filters, tags, evaluation_contexts: evaluationContexts })) as Fields;
}

/** Normalizes a value as the API does when it stores it, and removes parts that the API does not show. */
function comparable(name: string, value: unknown, body: Fields): unknown {
  if (name !== 'filters' || !isFields(value)) return value;
  const filters = structuredClone(value) as Partial<FlagFilters>;
  if (isEncrypted(body)) delete filters.payloads;
  for (const { property } of conditionsOf({ groups: filters.groups ?? [] })) {
    if (property.type !== 'flag' || (property.value !== 'true' && property.value !== 'false')) continue;
    property.value = property.value === 'true';
  }
  return withoutNulls(filters);
}

/** Removes fields that are null, which mean the same as absent ones. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isFields(value)) return value;
  const present = Object.entries(value).filter(([, fieldValue]) => fieldValue !== null);
  return Object.fromEntries(present.map(([name, fieldValue]) => [name, withoutNulls(fieldValue)]));
}
