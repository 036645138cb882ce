/** Kinds of changes of an export: those that a planned run ignores, and those of secrets, which it uses. */
import type { Change } from './diagnosis-data.ts';

type ChangedField = Change['fields'][number];

/** Fields that are in a run's plan, as errors name them. */
const PLANNED = /^(destination__|filters|hogql_query|include_columns|exclude_columns|transformations)/;

/** Whether the values of a field are hidden: they are masked alike. Of values that are too long to be listed, both are null. */
const isHidden = ({ before, after }: ChangedField) =>
  before !== null && JSON.stringify(before) === JSON.stringify(after);

/** Whether a change is of something that is in a run's plan. */
export const isPlanned = ({ about, fields }: Change) =>
  about === 'batch_export' && fields.some((one) => PLANNED.test(one.field) && !isHidden(one));

/** Whether a change has a secret; a change without fields is of secrets alone. */
export const isSecret = ({ fields }: Change) =>
  fields.length === 0 || fields.some((one) => one.field.startsWith('destination__') && isHidden(one));
