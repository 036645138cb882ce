/**
 * Queries over `persons` or `groups` that match filters or are in a cohort: `flags/evaluation` in SQL; a test compares both.
 *
 * A cohort that others use is computed once per row, however many use it; otherwise cohorts built on cohorts would double the
 * SQL with every level.
 */
import type { ConditionSqlContext } from '../../conditions/sql/condition-sql.ts';
import type { CohortDefinition } from '../evaluation/definitions.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldAt, fieldsOf, isFields } from '../../conditions/operators/stored-json.ts';
import { filterSql, UNKNOWN, type FilterScope } from './filter-sql.ts';
import { ALIAS, rowsOf, type Subject } from './subject.ts';

export type MatchingScope = {
  projectId: number;
  /** All cohorts of the project that may be used, by id. */
  cohorts: ReadonlyMap<number, CohortDefinition>;
  context: ConditionSqlContext;
};

/** SQL: rows under the alias `subject`; existing ones satisfy `exists`, and matching ones also satisfy `matches`. */
export type Matching = { from: string; exists: string; matches: string };

/**
 * @param filters must all match, as those of one condition set; if empty, everyone matches. Results of other flags are not stored, so
 *   filters on them count as matched
 * @param subject of the flag
 */
export function matchingSql(filters: readonly Json[], subject: Subject, scope: MatchingScope): Matching {
  const compiled = compiler(subject, scope);
  const own = filters.filter((filter) => fieldAt(fieldsOf(filter), 'type') !== 'flag');
  return compiled.query(allOf(own.map((filter) => compiled.filter(filter))));
}

/** The persons that the cohort has by its filters, or that are listed in it; nobody when it is not one of the scope's. */
export function cohortSql(id: number, scope: MatchingScope): Matching {
  const compiled = compiler('person', scope);
  return compiled.query(compiled.inCohort(id));
}

function compiler(subject: Subject, { projectId, cohorts, context }: MatchingScope) {
  const computed: string[] = [];
  const known = new Map<number, string>();

  /** Unknown for a cohort that is missing or built on itself, and for cohorts that are built on such a one. */
  function inCohort(id: number): string {
    const present = known.get(id);
    if (present !== undefined) return present;
    known.set(id, UNKNOWN);
    const cohort = cohorts.get(id);
    if (cohort) known.set(id, cohort.isStatic ? staticMemberSql(id) : dynamicMemberSql(cohort));
    return known.get(id)!;
  }

  function staticMemberSql(id: number): string {
    return `exists (
      select from cohort_members as member
      where member.project_id = ${projectId} and member.person_id = ${ALIAS}.id and member.cohort_id = ${id})`;
  }

  function dynamicMemberSql({ id, filters }: CohortDefinition): string {
    let isKnown = true;
    const group = fieldAt(fieldsOf(filters), 'properties');
    const sql = groupSql(group ?? null, {
      subject,
      context,
      inCohort(other) {
        const member = inCohort(other);
        isKnown &&= member !== UNKNOWN;
        return member;
      },
    });
    if (!isKnown) return UNKNOWN;
    // Without the offset Postgres would inline the SQL everywhere again.
    computed.push(`cross join lateral (select ${sql} as has offset 0) as cohort_${id}`);
    return `cohort_${id}.has`;
  }

  return {
    inCohort,
    filter: (stored: Json) => filterSql(stored, { subject, context, inCohort }),
    query(matches: string): Matching {
      const { table, condition } = rowsOf(projectId, subject);
      return { from: [table, ...computed].join(' '), exists: condition, matches };
    },
  };
}

/** `{}` is everyone; so is an AND of nothing, and an OR of nothing is nobody. */
function groupSql(stored: Json, scope: FilterScope): string {
  if (!isFields(stored)) return 'false';
  if (Object.keys(stored).length === 0) return 'true';
  const values = fieldAt(stored, 'values') ?? [];
  if (!Array.isArray(values)) return 'false';
  const parts = elementsOf(values).map((one) => memberSql(one, scope));
  const type = fieldAt(stored, 'type');
  if (type === 'OR') return anyOf(parts);
  return type === 'AND' || type === 'property' ? allOf(parts) : 'false';
}

function memberSql(stored: Json, scope: FilterScope): string {
  if (!isFields(stored)) return 'false';
  if (Object.hasOwn(stored, 'values') || Object.keys(stored).length === 0) return groupSql(stored, scope);
  const sql = fieldAt(stored, 'type') === 'flag' ? 'false' : filterSql(stored, scope);
  return fieldAt(stored, 'negation') === true ? `not ${sql}` : sql;
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'true' : `(${conditions.map((one) => `(${one})`).join(' and ')})`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.map((one) => `(${one})`).join(' or ')})`;
}
