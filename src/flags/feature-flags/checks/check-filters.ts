/** Checks a flag's filters before they are stored. `check-references.ts` checks their references. */
import { InvalidInput } from '../../../platform/errors.ts';
import { invalidInput } from '../../../platform/http/validation.ts';
import { compile, Type } from '../../../platform/schema.ts';
import { checkCondition } from '../../../conditions/operators/check-condition.ts';
import { numberOf, type Json } from '../../../conditions/operators/json-values.ts';
import { sharedPatternBudget, type PatternBudget } from '../../../conditions/regex/pattern-budget.ts';
import { pickKnownFields } from './ignored-fields.ts';
import {
  conditionsOf,
  Filters,
  variantsOf,
  type ConditionSet,
  type FlagFilters,
  type GivenFilters,
  type Property,
} from '../filters.ts';
import { validatePayloads } from '../payloads.ts';

const Given = Type.Object({ filters: Filters });
const isGiven = compile(Given);

/** Tolerance for the sum of percentages, which may be floats: 33.3 + 33.3 + 33.4. */
const ROUNDING = 1e-6;

/**
 * @param filters unchecked, from a client
 * @returns the filters to store, with payloads as JSON text and ids of flags as text
 * @throws InvalidInput naming the field
 */
export function validateFilters(filters: unknown): FlagFilters {
  const given = JSON.parse(JSON.stringify({ filters })) as unknown;
  if (!isGiven(given)) throw invalidInput(isGiven.errors ?? [], Given);
  if (Object.hasOwn(given.filters, 'version')) throw versionedFormatError();
  const known = pickKnownFields(given.filters, Filters, 'filters') as GivenFilters;
  const { payloads: _, groups = [], ...rest } = known;
  const payloads = validatePayloads(known);
  const checked: FlagFilters = { ...rest, groups, ...(payloads && { payloads }) };
  checkVariants(checked);
  const patterns = sharedPatternBudget();
  for (const { set, property, attr } of conditionsOf(checked)) {
    checkProperty(property, { groupTypeIndex: indexOf(set, checked), attr, patterns: patterns });
  }
  checkEnrollment(checked, patterns);
  return checked;
}

/** Refuses upstream's next format of filters, which names its version, because it would be misread as the current one. */
function versionedFormatError(): InvalidInput {
  return new InvalidInput(
    'filters.version is reserved. Remove it from the request.',
    'filters__version',
    'reserved_config_version',
  );
}

/** Index of the set's group type. Its own value, even null, takes precedence over the flag's. */
function indexOf(set: ConditionSet, { aggregation_group_type_index: ofFlag }: FlagFilters): number | null {
  const own = set.aggregation_group_type_index;
  return (own === undefined ? ofFlag : own) ?? null;
}

function checkVariants(filters: FlagFilters): void {
  const variants = variantsOf(filters);
  const keys = new Set<string>();
  for (const [index, { key }] of variants.entries()) {
    const attr = `filters__multivariate__variants__${index}__key`;
    if (keys.has(key)) throw new InvalidInput(`There is another variant "${key}".`, attr);
    keys.add(key);
  }
  const sum = variants.reduce((total, { rollout_percentage }) => total + rollout_percentage, 0);
  if (variants.length > 0 && Math.abs(sum - 100) > ROUNDING) {
    throw new InvalidInput(
      'Invalid variant definitions: Variant rollout percentages must sum to 100.',
      'filters__multivariate__variants',
    );
  }
  for (const [index, { variant }] of filters.groups.entries()) {
    if (!variant || keys.has(variant)) continue;
    throw new InvalidInput(
      'Filters are not valid (variant override does not exist)',
      `filters__groups__${index}__variant`,
    );
  }
}

const PERSON_TYPES = ['person', 'person_metadata', 'cohort', 'flag'];

/** @property groupTypeIndex of the condition set; null if the set is about persons */
type PropertyContext = { groupTypeIndex: number | null; attr: string; patterns: PatternBudget };

function checkProperty(property: Property, { groupTypeIndex, attr, patterns }: PropertyContext): void {
  const types = groupTypeIndex === null ? PERSON_TYPES : ['group'];
  const type = property.type ?? '';
  if (type === '') {
    throw new InvalidInput(`This field is required. Choices are: ${types.join(', ')}.`, `${attr}__type`, 'required');
  }
  if (!types.includes(type)) throw new InvalidInput(typeErrorDetail(type, groupTypeIndex), `${attr}__type`);
  if (type === 'group' && (property.group_type_index ?? groupTypeIndex) !== groupTypeIndex) {
    throw new InvalidInput(
      'Filters are not valid (can only use properties of the groups that the condition set is about)',
      `${attr}__group_type_index`,
    );
  }
  if (property.key === '') throw new InvalidInput('This field may not be blank.', `${attr}__key`, 'blank');
  if (type === 'cohort') return checkCohort(property, attr);
  if (type === 'flag') return checkFlag(property, attr);
  checkValue(property, attr, patterns);
}

function typeErrorDetail(type: string, groupTypeIndex: number | null): string {
  if (groupTypeIndex !== null) return 'Filters are not valid (can only use group properties)';
  const detail = 'Filters are not valid (can only use person, cohort, and flag properties)';
  if (type !== 'group') return detail;
  return `${detail}. To use group properties, set aggregation_group_type_index of the condition set, or of the filters.`;
}

function checkCohort({ operator, value }: Property, attr: string): void {
  if (!['in', 'not_in'].includes(operator ?? 'in')) {
    throw new InvalidInput('A person can only be `in` or `not_in` a cohort.', `${attr}__operator`, 'invalid_operator');
  }
  if (idOf(value) === undefined) {
    throw new InvalidInput('This is not the id of a cohort.', `${attr}__value`, 'invalid_value');
  }
}

function checkFlag(property: Property, attr: string): void {
  if (property.operator !== 'flag_evaluates_to') {
    throw new InvalidInput(
      "Flag properties must use the 'flag_evaluates_to' operator",
      `${attr}__operator`,
      'invalid_operator',
    );
  }
  const id = idOf(property.key);
  if (id === undefined) {
    throw new InvalidInput(
      'Flag dependencies must reference flag IDs (integers), not flag keys. ' +
        `Invalid reference: '${String(property.key).slice(0, 100)}'`,
      `${attr}__key`,
    );
  }
  property.key = String(id);
  if (typeof property.value === 'boolean' || (typeof property.value === 'string' && property.value !== '')) return;
  throw new InvalidInput('A flag evaluates to true, false or the key of a variant.', `${attr}__value`, 'invalid_value');
}

/** Operators whose values must be text, even for numbers, as at upstream, because SDKs compare text in local evaluation. */
const TEXT_OPERATORS = /^(?:(?:not_)?(?:regex|icontains|starts_with|ends_with)|[gl]te?|min|max)$/;
const COMPARISON_OPERATORS = /^(?:[gl]te?|min|max)$/;
const LIST_OPERATORS = /^(?:not_)?icontains_multi$/;

function checkValue({ key, operator, value }: Property, attr: string, patterns: PatternBudget): void {
  const name = operator ?? 'exact';
  const mismatch = TEXT_OPERATORS.test(name)
    ? typeof value !== 'string'
    : LIST_OPERATORS.test(name) && !Array.isArray(value);
  if (mismatch && value !== undefined && value !== null) {
    const wanted = LIST_OPERATORS.test(name) ? 'a list' : 'a text';
    const detail = `Invalid value for operator ${name}: ${JSON.stringify(value).slice(0, 100)}. It must be ${wanted}.`;
    throw new InvalidInput(detail, `${attr}__value`, 'invalid_value');
  }
  // As at upstream, a text that is not a number is accepted for a comparison, which then never matches.
  const isCompared = !(COMPARISON_OPERATORS.test(name) && typeof value === 'string' && numberOf(value) === undefined);
  const checked = { key: String(key), operator: isCompared ? name : 'exact', value: value as Json | undefined };
  nameFieldInErrors(attr, () => checkCondition(checked, patterns));
}

/** Checks the conditions of enrollment, which are about the person even if the flag is about groups. */
function checkEnrollment({ super_groups: sets }: FlagFilters, patterns: PatternBudget): void {
  for (const { property, attr } of conditionsOf({ groups: sets ?? [] })) {
    const path = attr.replace('groups', 'super_groups');
    if (property.type !== 'person') {
      throw new InvalidInput('Enrollment can only use person properties.', `${path}__type`);
    }
    checkValue(property, path, patterns);
  }
}

/** @throws InvalidInput from `work`, with `attr` put before its field */
function nameFieldInErrors(attr: string, work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    throw new InvalidInput(error.message, error.attr === null ? attr : `${attr}__${error.attr}`, error.code);
  }
}

const MAX_ID = 2 ** 31 - 1;

/** Parses an id from a number or text. */
export function idOf(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^[1-9]\d{0,9}$/.test(value)) return undefined;
  const id = typeof value === 'string' || typeof value === 'number' ? Number(value) : 0;
  return Number.isInteger(id) && id > 0 && id <= MAX_ID ? id : undefined;
}
