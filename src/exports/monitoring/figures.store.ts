/** Counts over all exports, for Prometheus. */
import type { Knex } from '../../platform/db/connection.ts';
import { OPEN_STATUSES } from '../domain/statuses.ts';

type Counts = Record<string, number>;

export function figureStore(db: Knex) {
  return {
    openRunsByStatus: () =>
      countsByName(
        db('batch_export_runs')
          .whereIn('status', [...OPEN_STATUSES])
          .groupBy('status')
          .select('status as name', db.raw('count(*)')),
      ),

    openRequestsByKind: () =>
      countsByName(
        db('batch_export_requests').whereNull('closed_at').groupBy('kind').select('kind as name', db.raw('count(*)')),
      ),

    waitingNotificationsByChannel: () =>
      countsByName(
        db('notifications').whereNull('closed_at').groupBy('channel').select('channel as name', db.raw('count(*)')),
      ),
  };
}

async function countsByName(rows: PromiseLike<unknown>): Promise<Counts> {
  const found = (await rows) as { name: string; count: string }[];
  return Object.fromEntries(found.map(({ name, count }) => [name, Number(count)]));
}
