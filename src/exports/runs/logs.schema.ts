/** Log entries on the wire. */
import { cursorPageOf } from '../../platform/http/parameters/pagination.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { LOG_LEVELS } from './logs.store.ts';

export const LogEntryBody = Type.Object(
  {
    id: Type.String({
      description: 'The ID of the entry. Entries are not always committed in the order of their IDs.',
    }),
    log_source_id: Type.String({ format: 'uuid', description: 'The ID of the batch export.' }),
    instance_id: nullable(
      Type.String({
        description: 'The Temporal ID of the run (`workflow_run_id`); null for entries outside of a run.',
      }),
    ),
    run: nullable(Type.String({ format: 'uuid' }), {
      description: 'The ID of the run; null for entries outside of a run.',
    }),
    attempt: nullable(Type.Integer(), {
      description:
        'The attempt that wrote the entry, from 1; null if no attempt of the run did, or if it is not known.',
    }),
    timestamp: Type.String({ format: 'date-time' }),
    level: stringEnum(LOG_LEVELS),
    message: Type.String(),
  },
  { title: 'LogEntry' },
);
export type LogEntryBody = Static<typeof LogEntryBody>;

export const LogPageBody = Type.Object({
  count: nullable(Type.Integer(), { description: 'The total number of results; null on pages by cursor.' }),
  ...cursorPageOf(LogEntryBody).properties,
});
