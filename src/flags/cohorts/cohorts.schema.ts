/** Cohorts on the wire. */
import { UserBody, userOf } from '../../people/accounts/users.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import type { Cohort } from './cohorts.store.ts';
import { groupsOf } from './groups.ts';
import type { ListedPersons } from './listed-persons.ts';

export const CohortParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) });

const name = Type.String({ minLength: 1, maxLength: 400 });
const Filters = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'Conditions as `{"properties": {"type": "AND" | "OR", "values": [...]}}`, where each value is a condition ' +
    'of type `person` or `cohort` with an optional `negation`, or a nested group.',
});
const optional = {
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  filters: Type.Optional(nullable(Filters)),
  groups: Type.Optional(
    Type.Array(Type.Record(Type.String(), Type.Unknown()), {
      maxItems: 100,
      description:
        'Deprecated in favor of `filters`, which takes precedence: `[{"properties": [...]}]`, matching persons who ' +
        'meet all conditions of at least one group.',
    }),
  ),
  is_static: Type.Optional(
    Type.Boolean({ description: 'Whether the cohort is a fixed list of persons; cannot be changed.' }),
  ),
};
const PersonIds = Type.Array(Type.String({ format: 'uuid' }), { maxItems: 10_000 });

export const NewCohortBody = Type.Object(
  {
    name,
    ...optional,
    _create_static_person_ids: Type.Optional(PersonIds),
  },
  { title: 'NewCohort' },
);

export const CohortPatchBody = Type.Object(
  {
    name: Type.Optional(name),
    ...optional,
    deleted: Type.Optional(
      Type.Boolean({ description: 'Whether the cohort is deleted; refused while flags or other cohorts use it.' }),
    ),
  },
  { title: 'CohortPatch', description: 'Omitted fields keep their values.' },
);

export const AddedPersonsBody = Type.Object({
  person_ids: Type.Array(PersonIds.items, { minItems: 1, maxItems: 10_000 }),
});
export const RemovedPersonBody = Type.Object({ person_id: PersonIds.items });

export const ListedBody = Type.Object({
  added: Type.Integer({ description: 'The number of persons added to the cohort.' }),
  unknown_count: Type.Integer({ description: 'The number of IDs that belong to no person.' }),
  unknown: Type.Array(Type.String(), { description: 'The first hundred unknown IDs.' }),
});

export function presentListed({ added, unknownCount, unknown }: ListedPersons): Static<typeof ListedBody> {
  return { added, unknown_count: unknownCount, unknown };
}

export const CohortBody = Type.Object(
  {
    id: Type.Integer(),
    name: Type.String(),
    description: Type.String(),
    groups: Type.Array(Type.Object({ properties: Type.Array(Type.Unknown()) }), {
      description: 'Deprecated: the equivalent of `filters`, where it can be expressed.',
    }),
    filters: Filters,
    is_static: Type.Boolean(),
    is_calculating: Type.Boolean({ description: 'Whether the persons of the cohort are being counted.' }),
    count: nullable(Type.Integer(), {
      description: 'The number of persons in the cohort at the last count; null if the count took too long.',
    }),
    last_calculation: nullable(Type.String({ format: 'date-time' })),
    errors_calculating: Type.Integer({ description: '1 if the last count failed, otherwise 0.' }),
    last_error_message: nullable(Type.String()),
    deleted: Type.Boolean(),
    version: Type.Integer({ description: 'The version number, incremented with every change.' }),
    created_by: nullable(UserBody),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Cohort' },
);

export function presentCohort(cohort: Cohort, users: Users): Static<typeof CohortBody> {
  return {
    id: cohort.id,
    name: cohort.name,
    description: cohort.description,
    groups: groupsOf(cohort.filters),
    filters: cohort.filters,
    is_static: cohort.isStatic,
    is_calculating: cohort.isCounting,
    count: cohort.count,
    last_calculation: cohort.lastCalculation,
    errors_calculating: cohort.countError === null ? 0 : 1,
    last_error_message: cohort.countError,
    deleted: cohort.deleted,
    version: cohort.version,
    created_by: userOf(users, cohort.createdBy),
    created_at: cohort.createdAt,
  };
}
