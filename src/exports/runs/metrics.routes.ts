/** `/app_metrics/:batch_export_id/`: how the runs of a batch export ended, day by day. */
import { InvalidInput } from '../../platform/errors.ts';
import { readMoment } from '../../platform/http/parameters/moment.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import { type ExportsApi, PARENT_EXPORT, BatchExportListParams } from '../api.ts';
import type { RunsOfDay } from './run-lists.store.ts';

const DEFAULT_FROM = '-30d';
const MAX_DAYS = 366;
const DAY_MS = 86_400_000;

const PerDay = Type.Array(Type.Integer(), { description: 'One count for each of `dates`.' });

const MetricsBody = Type.Object(
  {
    metrics: Type.Object({
      dates: Type.Array(Type.String({ format: 'date' })),
      successes: PerDay,
      successes_on_retry: PerDay,
      failures: PerDay,
      totals: Type.Object({
        successes: Type.Integer(),
        successes_on_retry: Type.Integer(),
        failures: Type.Integer(),
      }),
    }),
    errors: Type.Null(),
  },
  { title: 'BatchExportMetrics' },
);

const getMetrics = route({
  method: 'get',
  path: '/app_metrics/:batch_export_id/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportListParams,
  query: Type.Object({
    date_from: Type.String({
      default: DEFAULT_FROM,
      description: 'The first day: a date or a relative time such as `-7d`.',
    }),
    date_to: Type.Optional(
      Type.String({ description: 'The last day: a date or a relative time such as `-1d`; today by default.' }),
    ),
  }),
  answers: { 200: MetricsBody },
  summary: 'Count the successful and failed runs of a batch export by the day (UTC) on which they ended',
  async handle({ project, params, query }, { batchExports, runs }: ExportsApi) {
    await batchExports.get(project.id, params.batch_export_id);
    // Upstream treats an empty parameter as absent.
    const days = {
      from: dayOf(query.date_from || DEFAULT_FROM, 'date_from'),
      to: dayOf(query.date_to || '-0d', 'date_to'),
    };
    const count = (Date.parse(days.to) - Date.parse(days.from)) / DAY_MS + 1;
    if (count < 1) throw new InvalidInput("'date_from' must not be after 'date_to'.", 'date_from');
    if (count > MAX_DAYS) throw new InvalidInput(`The period may have ${MAX_DAYS} days.`, 'date_from');
    return json(200, presentMetrics(await runs.perDay(params.batch_export_id, days)));
  },
});

export const metricRoutes = [getMetrics];

function dayOf(text: string, attr: string): string {
  return readMoment(text, attr).slice(0, 'YYYY-MM-DD'.length);
}

function presentMetrics(days: readonly RunsOfDay[]): Static<typeof MetricsBody> {
  const successes = days.map((day) => day.successes);
  const failures = days.map((day) => day.failures);
  return {
    metrics: {
      dates: days.map(({ day }) => day),
      successes,
      // Upstream's name for attempts after the first: here a retry is a run of its own.
      successes_on_retry: days.map(() => 0),
      failures,
      totals: { successes: sum(successes), successes_on_retry: 0, failures: sum(failures) },
    },
    errors: null,
  };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
