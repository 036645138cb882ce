/** Backfills on the wire. */
import { nullable, stringEnum, Type, type Static } from '../schema.ts';
import { BACKFILL_STATUSES, RUN_KINDS } from './domain/statuses.ts';

const Instant = Type.String({ format: 'date-time' });

const edge = (description: string) =>
  Type.String({ description: `${description}: an ISO 8601 datetime with a zone, or a date (midnight UTC).` });

export const BackfillRequestBody = Type.Object(
  { start_at: edge('Where the range begins'), end_at: edge('Where it ends, not in the future') },
  { title: 'BackfillRequest' },
);

export const BackfillBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team: Type.Integer({ description: 'The project.' }),
    batch_export: Type.String({ format: 'uuid' }),
    kind: stringEnum(RUN_KINDS, { description: 'A retry is a backfill of one data interval.' }),
    start_at: Instant,
    end_at: Instant,
    status: stringEnum(BACKFILL_STATUSES, { description: '`Failed`: every run ended, not every one `Completed`.' }),
    created_at: Instant,
    finished_at: nullable(Instant),
    last_updated_at: Instant,
    progress: Type.Object({
      total_runs: Type.Integer(),
      finished_runs: Type.Integer(),
      progress: Type.Number({ minimum: 0, maximum: 1, description: 'One decimal; 1 only when all are finished.' }),
    }),
  },
  { title: 'Backfill' },
);
export type BackfillBody = Static<typeof BackfillBody>;
