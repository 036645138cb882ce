/** Bodies of `/batch_exports/bulk/`. */
import { ErrorBody } from '../../platform/http/error-body.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { MAX_TROUBLED } from '../intervals/troubled-intervals.store.ts';
import { pauseIn } from '../pauses/pauses.schema.ts';

export const MAX_EXPORTS = 100;

export const BULK_ACTIONS = ['pause', 'unpause', 'retry_failed'] as const;

export const BulkBody = Type.Object(
  {
    action: stringEnum(BULK_ACTIONS, {
      description:
        `\`pause\` and \`unpause\` as for one export; \`retry_failed\` requests a run for each of the newest ${MAX_TROUBLED} data intervals whose newest run failed, ` +
        'except where a person has to decide first.',
    }),
    ids: Type.Array(Type.String({ format: 'uuid' }), {
      minItems: 1,
      maxItems: MAX_EXPORTS,
      uniqueItems: true,
      description: 'The batch exports.',
    }),
    ...pauseIn,
    include_retrying: Type.Boolean({
      default: false,
      description:
        'With `retry_failed`: if true, intervals with a run in progress whose attempts fail are retried too, with the present settings. ' +
        'Such a run is ended first; if it still delivers, its interval is not delivered again.',
    }),
    dry_run: Type.Boolean({
      default: false,
      description:
        'With `retry_failed`: if true, requests nothing, and `intervals` is the number of runs that it would request.',
    }),
    plan: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'With `retry_failed` of one export: the `plan` of a dry run with the same `include_retrying`. Exactly its intervals are requested, ' +
          'or nothing, and the result is `refused` with the code `conflict`, because they have changed.',
      }),
    ),
  },
  { title: 'BulkAction' },
);
export type BulkBody = Static<typeof BulkBody>;

const BulkResult = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    result: stringEnum(['changed', 'unchanged', 'refused'], {
      description:
        '`unchanged`: the export was paused or running already, or none of its intervals was to be retried. `refused`: see `error`.',
    }),
    backfill_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'The backfill that `retry_failed` created; null if it created none.',
    }),
    intervals: nullable(Type.Integer(), {
      description: 'The number of data intervals of that backfill, or of the one that `dry_run` is about.',
    }),
    retrying: nullable(Type.Integer(), {
      description: 'With `dry_run`: how many of these intervals have a run in progress, which would be ended.',
    }),
    plan: nullable(Type.String(), { description: 'With `dry_run`: a token for these intervals.' }),
    error: nullable(ErrorBody, {
      description: 'The error that a request for this export alone would get; null unless refused.',
    }),
  },
  { title: 'BulkResult' },
);
export type BulkResult = Static<typeof BulkResult>;

export const BulkResultsBody = Type.Object(
  { results: Type.Array(BulkResult, { description: 'A result for each ID, in the order of `ids`.' }) },
  { title: 'BulkResults' },
);
