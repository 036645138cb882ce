/** Insights on the wire. */
import { UserBody } from '../../people/accounts/users.ts';
import { LEVELS } from '../../platform/http/access.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';

const MAX_ID = 2 ** 31 - 1;
const MAX_DASHBOARDS = 500;
const Instant = Type.String({ format: 'date-time' });
const Json = Type.Record(Type.String(), Type.Unknown());

export const InsightParams = Type.Object({
  id: Type.String({ maxLength: 20, description: 'The ID or short ID of the insight.' }),
});

const Name = Type.Optional(nullable(Type.String({ maxLength: 400 })));

export const GivenInsightBody = Type.Object(
  {
    name: Name,
    derived_name: Name,
    description: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
    query: Type.Optional(
      Type.Unknown({
        description: 'The query as an object, or null; the kinds of queries are listed in docs/insights.md.',
      }),
    ),
    filters: Type.Optional(
      Type.Unknown({
        description: 'A query in the format of older clients; trends, funnels and retention are converted to `query`.',
      }),
    ),
    tags: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }))),
    favorited: Type.Optional(Type.Boolean()),
    saved: Type.Optional(Type.Boolean()),
    deleted: Type.Optional(Type.Boolean()),
    dashboards: Type.Optional(
      nullable(Type.Array(Type.Integer({ minimum: 1, maximum: MAX_ID }), { maxItems: MAX_DASHBOARDS }), {
        description:
          'The IDs of the dashboards that show the insight: it is added to dashboards that are newly listed ' +
          'and removed from all others.',
      }),
    ),
  },
  { title: 'GivenInsight' },
);
export type GivenInsight = Static<typeof GivenInsightBody>;

const ErrorBody = Type.Object({
  type: stringEnum(['validation_error', 'permission_denied', 'timeout', 'server_error', 'too_large'] as const),
  message: Type.String(),
});

const StatusBody = Type.Object({
  id: Type.String(),
  team_id: Type.Integer(),
  query_async: Type.Boolean(),
  complete: Type.Boolean(),
  error: Type.Boolean(),
  error_message: nullable(Type.String()),
});

/** Result of an insight's query. */
export const ResultFields = {
  result: Type.Unknown({ description: 'The result in the format of the query kind; null if nothing was computed.' }),
  columns: nullable(Type.Array(Type.String())),
  types: nullable(Type.Array(Type.Unknown())),
  hasMore: Type.Boolean(),
  timezone: nullable(Type.String()),
  resolved_date_range: nullable(Type.Object({ date_from: nullable(Type.String()), date_to: nullable(Type.String()) })),
  last_refresh: nullable(Instant, {
    description: 'The time when the result was computed; null if there is no result.',
  }),
  is_cached: Type.Boolean({ description: 'Whether the result was computed before this request.' }),
  cache_target_age: nullable(Instant, {
    description: 'The time after which the result is considered old; null if there is no result.',
  }),
  next_allowed_client_refresh: nullable(Instant),
  query_status: nullable(StatusBody, {
    description:
      'The status of a query that failed, or that is being recomputed while an older result is shown; null otherwise.',
  }),
  filters_hash: nullable(Type.String(), { description: 'The cache key of the result; null if there is none.' }),
  error: nullable(ErrorBody, { description: 'Why there is no result; null if there is one.' }),
};

const TileReference = Type.Object({ id: Type.Integer(), dashboard_id: Type.Integer(), deleted: Type.Boolean() });

export const InsightBody = Type.Object(
  {
    id: Type.Integer(),
    short_id: Type.String(),
    name: nullable(Type.String()),
    derived_name: nullable(Type.String()),
    description: Type.String(),
    query: nullable(Json),
    filters: Type.Object({}, { description: 'Always empty; filters in requests are converted to `query`.' }),
    order: Type.Null(),
    deleted: Type.Boolean(),
    dashboards: Type.Array(Type.Integer(), { description: 'The IDs of the dashboards that show the insight.' }),
    dashboard_tiles: Type.Array(TileReference),
    ...ResultFields,
    created_at: Instant,
    created_by: nullable(UserBody),
    updated_at: Instant,
    last_modified_at: Instant,
    last_modified_by: nullable(UserBody),
    tags: Type.Array(Type.String()),
    favorited: Type.Boolean(),
    saved: Type.Boolean(),
    is_sample: Type.Boolean(),
    effective_restriction_level: Type.Integer(),
    effective_privilege_level: Type.Integer(),
    user_access_level: nullable(stringEnum(LEVELS), {
      description: 'The access level of the user; null when viewed through a shared link.',
    }),
    hogql: Type.Null(),
    alerts: Type.Array(Type.Unknown()),
    last_viewed_at: Type.Null(),
  },
  { title: 'Insight' },
);
export type InsightBody = Static<typeof InsightBody>;

/** Fields that lists leave out when the query parameter `basic` is true. */
export const BASIC_HIDES: readonly string[] = [...Object.keys(ResultFields), 'hogql', 'alerts'];

export const BasicInsightBody = Type.Object(
  Object.fromEntries(Object.entries(InsightBody.properties).filter(([name]) => !BASIC_HIDES.includes(name))),
  { title: 'BasicInsight' },
);
