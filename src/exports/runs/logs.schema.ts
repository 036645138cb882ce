/** Log entries on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { LOG_LEVELS } from './logs.store.ts';

export const LogEntryBody = Type.Object(
  {
    log_source_id: Type.String({ format: 'uuid', description: 'The ID of the batch export.' }),
    instance_id: nullable(
      Type.String({
        description: 'The Temporal ID of the run (`workflow_run_id`); null for entries outside of a run.',
      }),
    ),
    timestamp: Type.String({ format: 'date-time' }),
    level: stringEnum(LOG_LEVELS),
    message: Type.String(),
  },
  { title: 'LogEntry' },
);
export type LogEntryBody = Static<typeof LogEntryBody>;
