/** `/query/`: computes a query that is not saved as an insight. */
import { json, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { AnswerQuery } from './answering.ts';
import { refuseUnknownFilters, withDashboardFilters } from './parsing/dashboard-filters.ts';
import { refuseUnknown } from './parsing/known-fields.ts';
import { ensureMayAsk } from './raw-data.ts';

export type QueriesApi = { answerQuery: AnswerQuery };

const Instant = Type.String({ format: 'date-time' });
const DateRange = Type.Object({ date_from: Instant, date_to: Instant });

const AnswerBody = Type.Object(
  {
    results: Type.Array(Type.Unknown(), {
      description: 'The lines, steps, cohorts or rows of the result, described in docs/insights.md.',
    }),
    columns: Type.Optional(Type.Array(Type.String())),
    types: Type.Optional(Type.Array(Type.String())),
    hasMore: Type.Optional(Type.Boolean({ description: 'Whether there are more rows or breakdown values.' })),
    limit: Type.Optional(Type.Integer()),
    offset: Type.Optional(Type.Integer()),
    timezone: Type.String({ description: 'The time zone in which days start, which is that of the project.' }),
    resolved_date_range: DateRange,
    resolved_compare_date_range: Type.Optional(DateRange),
    is_cached: Type.Boolean(),
    last_refresh: Instant,
  },
  { title: 'QueryAnswer' },
);

const answerQuery = route({
  method: 'post',
  path: '/query/',
  access: { scope: 'query:read' },
  body: Type.Object(
    {
      query: Type.Unknown({
        description: 'A TrendsQuery, FunnelsQuery, RetentionQuery or EventsQuery, described in docs/insights.md.',
      }),
      filters_override: Type.Optional(
        Type.Record(Type.String(), Type.Unknown(), {
          description: 'Filters that override those of the query, in the same way as dashboard filters.',
        }),
      ),
    },
    { title: 'QueryRequest' },
  ),
  answers: { 200: AnswerBody },
  summary: 'Compute the result of a query',
  description:
    'Results are not cached and `refresh` has no effect; use an insight to cache results. Responds with 503 if ' +
    'the query takes longer than 15 seconds, and with 400 and the name of the field if it is not supported.',
  async handle({ project, caller, rights, body, signal }, { answerQuery: answer }: QueriesApi) {
    const at = Date.now();
    refuseUnknown(body.query);
    const { filters_override: filters = {} } = body;
    refuseUnknownFilters(filters);
    const query = withDashboardFilters(body.query, filters);
    ensureMayAsk({ caller, rights }, query);
    const result = await answer(project, query, { now: at, signal });
    return json(200, { ...result, is_cached: false, last_refresh: new Date(at).toISOString() });
  },
});

export const queryRoutes = [answerQuery];
