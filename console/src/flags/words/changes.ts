/** Changes of a flag, a line for each changed value: `Set 2: 20 % ← 10 %`. */
import { conditionsOf, formatPercent, percentOf, setInWords, type ConditionSet, type Filters } from './conditions.ts';
import { equal, isObject, keysOf } from './equal.ts';

export type ChangeLine = { what: string; from: string; to: string };
export type Change = { field: string; before: unknown; after: unknown };

const NOTHING = 'nothing';

const LABELS: Readonly<Record<string, string>> = {
  key: 'Key',
  name: 'Description',
  active: 'Flag',
  deleted: 'Deleted',
  tags: 'Tags',
  ensure_experience_continuity: 'Kept when a person is identified',
  evaluation_runtime: 'Given to',
  bucketing_identifier: 'Rollout is by',
  evaluation_contexts: 'Contexts',
  is_remote_configuration: 'Payload only',
  has_encrypted_payloads: 'Encrypted payload',
};

/** @param before old fields by name @param after new fields by name */
export function changesBetween(before: object, after: object): ChangeLine[] {
  const [oldFields, newFields] = [before, after] as Readonly<Record<string, unknown>>[];
  return keysOf(before, after).flatMap((field) =>
    equal(oldFields![field], newFields![field])
      ? []
      : linesOf({ field, before: oldFields![field], after: newFields![field] }),
  );
}

export function linesOf({ field, before, after }: Change): ChangeLine[] {
  if (field === 'filters') return filterLines(filtersOf(before), filtersOf(after));
  if (field === 'active')
    return [{ what: 'Flag', from: before === true ? 'on' : 'off', to: after === true ? 'on' : 'off' }];
  return [{ what: LABELS[field] ?? field, from: valueInWords(before), to: valueInWords(after) }];
}

const filtersOf = (value: unknown) => (isObject(value) ? (value as Filters) : {});

function valueInWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return NOTHING;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (Array.isArray(value) && value.every((element) => typeof element === 'string')) return value.join(', ') || NOTHING;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function filterLines(before: Filters, after: Filters): ChangeLine[] {
  const { groups: setsBefore, multivariate: variantsBefore, payloads: payloadsBefore, ...othersBefore } = before;
  const { groups: setsAfter, multivariate: variantsAfter, payloads: payloadsAfter, ...othersAfter } = after;
  return [
    ...pairs(setsBefore ?? [], setsAfter ?? []).flatMap(([was, is], index) => setLines(`Set ${index + 1}`, was, is)),
    ...variantLines(variantsBefore?.variants ?? [], variantsAfter?.variants ?? []),
    ...payloadLines(payloadsBefore ?? {}, payloadsAfter ?? {}),
    ...otherFieldLines('', othersBefore, othersAfter),
  ];
}

function pairs<T>(left: readonly T[], right: readonly T[]): [T | undefined, T | undefined][] {
  return Array.from({ length: Math.max(left.length, right.length) }, (_, index) => [left[index], right[index]]);
}

function setLines(what: string, was: ConditionSet | undefined, is: ConditionSet | undefined): ChangeLine[] {
  if (!was || !is) return [{ what, from: was ? wholeSet(was) : 'none', to: is ? wholeSet(is) : 'removed' }];
  const { properties: conditionsBefore, rollout_percentage: _before, ...othersBefore } = was;
  const { properties: conditionsAfter, rollout_percentage: _after, ...othersAfter } = is;
  return [
    ...(percentOf(was) === percentOf(is)
      ? []
      : [{ what, from: formatPercent(percentOf(was)), to: formatPercent(percentOf(is)) }]),
    ...(equal(conditionsBefore ?? [], conditionsAfter ?? [])
      ? []
      : [{ what: `${what} asks for`, from: conditionWords(was), to: conditionWords(is) }]),
    ...otherFieldLines(`${what}, `, othersBefore, othersAfter),
  ];
}

const conditionWords = (set: ConditionSet) => setInWords(set) || 'nothing: everybody';

function wholeSet(set: ConditionSet): string {
  return `${formatPercent(percentOf(set))} of ${conditionsOf(set).length === 0 ? 'everybody' : setInWords(set)}`;
}

type Variant = NonNullable<NonNullable<Filters['multivariate']>['variants']>[number];

function variantLines(before: readonly Variant[], after: readonly Variant[]): ChangeLine[] {
  const keys = [...new Set([...before, ...after].map(({ key }) => key))];
  return keys.flatMap((key) => {
    const [was, is] = [before, after].map((all) => all.find((variant) => variant.key === key));
    const what = `Variant ${key}`;
    if (!was || !is)
      return [{ what, from: was ? variantInWords(was) : 'none', to: is ? variantInWords(is) : 'removed' }];
    return [
      ...(was.rollout_percentage === is.rollout_percentage
        ? []
        : [{ what, from: formatPercent(was.rollout_percentage), to: formatPercent(is.rollout_percentage) }]),
      ...((was.name ?? '') === (is.name ?? '')
        ? []
        : [{ what: `${what}, name`, from: valueInWords(was.name), to: valueInWords(is.name) }]),
    ];
  });
}

const variantInWords = ({ rollout_percentage: percent }: Variant) => formatPercent(percent);

/** Compares payloads as JSON, so a new format alone is not a change. */
function payloadLines(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): ChangeLine[] {
  return keysOf(before, after).flatMap((key) => {
    const [was, is] = [before[key], after[key]].map(compact);
    return was === is ? [] : [{ what: key === 'true' ? 'Payload' : `Payload of ${key}`, from: was!, to: is! }];
  });
}

export function compact(payload: unknown): string {
  if (payload === undefined) return 'none';
  if (typeof payload !== 'string') return JSON.stringify(payload);
  try {
    return JSON.stringify(JSON.parse(payload));
  } catch {
    return payload;
  }
}

function otherFieldLines(prefix: string, before: object, after: object): ChangeLine[] {
  const [was, is] = [before, after] as Readonly<Record<string, unknown>>[];
  return keysOf(before, after).flatMap((name) => {
    if (equal(was![name] ?? null, is![name] ?? null)) return [];
    const words = name.replaceAll('_', ' ');
    const what = prefix === '' ? words.charAt(0).toUpperCase() + words.slice(1) : prefix + words;
    return [{ what, from: valueInWords(was![name]), to: valueInWords(is![name]) }];
  });
}
