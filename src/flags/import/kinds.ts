/** The parts of an import that differ between flags and cohorts; `import-items.ts` has the common part. */
import { InvalidInput } from '../../platform/errors.ts';
import { checkCohortBody, cohortBody, cohortDifferences, cohortFieldsLeftOut, isStatic } from './cohort-body.ts';
import type { ExportedItem, Fields } from './exported.ts';
import { validateFlagBody, fieldsLeftOut, flagBody, flagDifferences } from './flag-body.ts';
import type { Kind } from './outcome.ts';
import { cohortReferences, flagReferences, type Reference } from './references.ts';

/** How one kind of item is imported. */
export type ItemDefinition = {
  kind: Kind;
  /** Path in the API, below a project. */
  path: 'feature_flags/' | 'cohorts/';
  /** The field by which an item is known on both sides. */
  nameField: 'key' | 'name';
  references(fields: Fields): Reference[];
  /** @param replaceId gives a reference the id of this server; may throw InvalidInput @throws InvalidInput */
  body(fields: Fields, replaceId: (reference: Reference) => void): Record<string, unknown>;
  /** Checks that an item can be created at all, apart from its body. @throws InvalidInput */
  checkNew(item: ExportedItem): void;
  /** Checks a body without a request. @returns fields that the API would ignore @throws InvalidInput */
  check(body: Fields): readonly string[];
  /** Fields of the existing item that have to change. */
  differences(present: Fields, body: Fields, exported: Fields): string[];
  fieldsLeftOut(fields: Fields): string[];
};

export const FLAGS: ItemDefinition = {
  kind: 'flag',
  path: 'feature_flags/',
  nameField: 'key',
  references: ({ filters }) => flagReferences(filters),
  body: (fields, replaceId) => flagBody(fields, (filters) => flagReferences(filters).forEach(replaceId)),
  checkNew: () => {},
  check: validateFlagBody,
  differences: flagDifferences,
  fieldsLeftOut,
};

export const COHORTS: ItemDefinition = {
  kind: 'cohort',
  path: 'cohorts/',
  nameField: 'name',
  references: cohortReferences,
  body: (fields, replaceId) => cohortBody(fields, (body) => cohortReferences(body).forEach(replaceId)),
  checkNew({ fields }) {
    if (!isStatic(fields)) return;
    throw new InvalidInput(
      'The export does not contain the persons of a static cohort. Create a static cohort with this name here, from a CSV file of ' +
        'their distinct ids, and import again.',
      'is_static',
    );
  },
  check(body) {
    checkCohortBody(body);
    return [];
  },
  differences(present, body, exported) {
    const differs = cohortDifferences(present, body);
    return isStatic(exported) === (present['is_static'] === true) ? differs : ['is_static', ...differs];
  },
  fieldsLeftOut: cohortFieldsLeftOut,
};
