/**
 * Builds queries for the persons or groups that match filters or are in a cohort. This is `flags/evaluation` in SQL; a test compares both.
 *
 * Each cohort is computed once per row, even if several others use it. Otherwise every level of cohorts could double the size of the SQL.
 */
import type { ConditionSqlContext } from '../../conditions/sql/condition-sql.ts';
import type { CohortDefinition } from '../evaluation/definitions.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import { elementsOf, fieldAt, fieldsOf, isFields } from '../../conditions/operators/stored-json.ts';
import { filterSql, UNKNOWN, type FilterSqlContext } from './filter-sql.ts';
import { ALIAS, subjectRows, type Subject } from './subject.ts';

export type MatchingSettings = {
  projectId: number;
  /** All cohorts of the project that may be used, by id. */
  cohorts: ReadonlyMap<number, CohortDefinition>;
  context: ConditionSqlContext;
};

/** SQL fragments: rows `from` under the alias `subject`; the project's rows satisfy `exists`, and matching ones also `matches`. */
export type Matching = { from: string; exists: string; matches: string };

/**
 * @param filters must all match; an empty list matches everyone. Filters on other flags count as matching, because values of flags are not
 *   stored
 * @param subject of the flag
 */
export function matchingSql(filters: readonly Json[], subject: Subject, settings: MatchingSettings): Matching {
  const compiled = compiler(subject, settings);
  const own = filters.filter((filter) => fieldAt(fieldsOf(filter), 'type') !== 'flag');
  return compiled.query(allOf(own.map((filter) => compiled.filter(filter))));
}

/** Query for the persons of a cohort, static or dynamic; it matches nobody if the settings have no such cohort. */
export function cohortSql(id: number, settings: MatchingSettings): Matching {
  const compiled = compiler('person', settings);
  return compiled.query(compiled.inCohort(id));
}

function compiler(subject: Subject, { projectId, cohorts, context }: MatchingSettings) {
  const computed: string[] = [];
  const known = new Map<number, string>();

  /** Unknown for a cohort that is missing or in a cycle, and for cohorts that reference such a cohort. */
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
        const condition = inCohort(other);
        isKnown &&= condition !== UNKNOWN;
        return condition;
      },
    });
    if (!isKnown) return UNKNOWN;
    // The `offset 0` keeps Postgres from inlining the SQL at each use.
    computed.push(`cross join lateral (select ${sql} as has offset 0) as cohort_${id}`);
    return `cohort_${id}.has`;
  }

  return {
    inCohort,
    filter: (json: Json) => filterSql(json, { subject, context, inCohort }),
    query(matches: string): Matching {
      const { table, condition } = subjectRows(projectId, subject);
      return { from: [table, ...computed].join(' '), exists: condition, matches };
    },
  };
}

/** `{}` and an empty AND match everyone; an empty OR matches nobody. */
function groupSql(json: Json, settings: FilterSqlContext): string {
  if (!isFields(json)) return 'false';
  if (Object.keys(json).length === 0) return 'true';
  const values = fieldAt(json, 'values') ?? [];
  if (!Array.isArray(values)) return 'false';
  const parts = elementsOf(values).map((element) => memberSql(element, settings));
  const type = fieldAt(json, 'type');
  if (type === 'OR') return anyOf(parts);
  return type === 'AND' || type === 'property' ? allOf(parts) : 'false';
}

function memberSql(json: Json, settings: FilterSqlContext): string {
  if (!isFields(json)) return 'false';
  if (Object.hasOwn(json, 'values') || Object.keys(json).length === 0) return groupSql(json, settings);
  const sql = fieldAt(json, 'type') === 'flag' ? 'false' : filterSql(json, settings);
  return fieldAt(json, 'negation') === true ? `not ${sql}` : sql;
}

function allOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'true' : `(${conditions.map((condition) => `(${condition})`).join(' and ')})`;
}

function anyOf(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'false' : `(${conditions.map((condition) => `(${condition})`).join(' or ')})`;
}
