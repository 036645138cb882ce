/** `/storage/`: the share of the database that a project takes. */
import { ensureAnswered } from '../../events/table/lookup.ts';
import { json, route, type Route } from '../../platform/http/route.ts';
import { nullable, Type } from '../../platform/schema.ts';
import type { StorageStore } from './storage.store.ts';

export type StorageApi = { storage: StorageStore };

const StorageBody = Type.Object(
  {
    bytes: Type.Integer({ description: 'The sum of what is known of the tables, in bytes.' }),
    tables: Type.Array(
      Type.Object({
        table: Type.String({ description: 'The name of the table, as in the list of what is deleted when.' }),
        rows: Type.Integer({ description: 'The number of rows of the project.' }),
        rows_are_estimated: Type.Boolean({
          description: "Whether the number is the planner's estimate, because there are more than 10,000 rows.",
        }),
        bytes: nullable(Type.Integer(), {
          description:
            "The rows' share of the table's size on disk, with its indexes. Null if there are no statistics yet.",
        }),
        oldest: nullable(Type.String({ format: 'date-time' }), {
          description: 'The instant of the oldest row. Null if there is none, or if it cannot be found quickly.',
        }),
      }),
      { description: 'The growing tables, the largest first.' },
    ),
  },
  { title: 'ProjectStorage' },
);

const getStorage = route({
  method: 'get',
  path: '/storage/',
  access: { scope: 'project:read' },
  answers: { 200: StorageBody },
  summary: 'Measure what a project takes of the database',
  description: 'Rows, bytes and the oldest row of each growing table. Small tables are counted, large ones estimated.',
  async handle({ project }, { storage }: StorageApi) {
    const measured = await ensureAnswered(storage.measure(project.id), 'Try again when the database is less busy.');
    const tables = measured
      .map(({ rowsAreEstimated, ...others }) => ({ ...others, rows_are_estimated: rowsAreEstimated }))
      .sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || a.table.localeCompare(b.table));
    return json(200, { bytes: tables.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0), tables });
  },
});

export const storageRoutes: readonly Route<StorageApi>[] = [getStorage];
