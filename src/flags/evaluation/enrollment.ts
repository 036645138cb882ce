/**
 * Early access: persons who opted in to a feature, or out of it, get their choice. The choice is a property of the person, even if the
 * flag is about groups.
 */
import { UNAVAILABLE, type EvaluationContext } from './context.ts';
import { compileConditionSet } from './condition-set.ts';
import type { CompileOptions } from './filter-test.ts';
import type { Placement } from './placement.ts';
import { elementsOf, fieldAt, fieldsOf, type Fields } from '../../conditions/operators/stored-json.ts';
import { allOf } from './verdict.ts';
import { type Verdict } from './decision.ts';

/** Returns the person's choice; undefined if there is none. */
export type Enrollment = (context: EvaluationContext) => Verdict | undefined;

/** Compiles `feature_enrollment: true`, or the older form, the first of `super_groups`. @returns undefined without either */
export function compileEnrollment(
  flagKey: string,
  filters: Fields,
  placement: Placement,
  options: Omit<CompileOptions, 'group'>,
): Enrollment | undefined {
  if (fieldAt(filters, 'feature_enrollment') === true) return compileChoice(`$feature_enrollment/${flagKey}`, options);
  const set = elementsOf(fieldAt(filters, 'super_groups'))[0];
  const properties = elementsOf(fieldAt(fieldsOf(set), 'properties'));
  if (set === undefined || properties.length === 0) return undefined;
  const { matches, percentage } = compileConditionSet(set, undefined, placement.variantKeys, options);
  const isKnown = compileIsAnyKnown(
    properties.map((property) => fieldAt(fieldsOf(property), 'key')).filter((key) => typeof key === 'string'),
  );
  const isChosen = allOf([matches, (context) => placement.isInRollout(context, undefined, percentage)]);
  return (context) => {
    const isPersonKnown = isKnown(context);
    return isPersonKnown === true ? isChosen(context) : isPersonKnown === false ? undefined : isPersonKnown;
  };
}

function compileChoice(key: string, { reads }: Omit<CompileOptions, 'group'>): Enrollment {
  reads.person.push(key);
  return (context) => {
    const choice = context.personProperty(key);
    if (choice === UNAVAILABLE) return 'database_error';
    return choice === undefined ? undefined : choice === true || choice === 'true';
  };
}

function compileIsAnyKnown(keys: readonly string[]): (context: EvaluationContext) => Verdict {
  return (context) => {
    const values = keys.map((key) => context.personProperty(key));
    if (values.some((value) => value !== undefined && value !== UNAVAILABLE)) return true;
    return values.includes(UNAVAILABLE) ? 'database_error' : false;
  };
}
