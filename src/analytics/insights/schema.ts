/** Insights on the wire. */
import { UserBody } from '../../people/accounts/users.ts';
import { LEVELS } from '../../platform/http/access.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';

const MAX_ID = 2 ** 31 - 1;
const MAX_DASHBOARDS = 500;
const Instant = Type.String({ format: 'date-time' });
const Json = Type.Record(Type.String(), Type.Unknown());

export const InsightParams = Type.Object({
  id: Type.String({ maxLength: 20, description: 'The id, or the short id.' }),
});

const Name = Type.Optional(nullable(Type.String({ maxLength: 400 })));

export const GivenInsightBody = Type.Object(
  {
    name: Name,
    derived_name: Name,
    description: Type.Optional(nullable(Type.String({ maxLength: 10_000 }))),
    query: Type.Optional(Type.Unknown({ description: 'An object, or null; docs/insights.md says which there are.' })),
    filters: Type.Optional(
      Type.Unknown({ description: 'As older clients say it: trends, funnels and retention become a `query`.' }),
    ),
    tags: Type.Optional(nullable(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 }))),
    favorited: Type.Optional(Type.Boolean()),
    saved: Type.Optional(Type.Boolean()),
    deleted: Type.Optional(Type.Boolean()),
    dashboards: Type.Optional(
      nullable(Type.Array(Type.Integer({ minimum: 1, maximum: MAX_ID }), { maxItems: MAX_DASHBOARDS }), {
        description: 'It is put on those that are new here, and taken off those that are missing.',
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
  result: Type.Unknown({ description: 'As the kind of query has it; null: nothing was computed.' }),
  columns: nullable(Type.Array(Type.String())),
  types: nullable(Type.Array(Type.Unknown())),
  hasMore: Type.Boolean(),
  timezone: nullable(Type.String()),
  resolved_date_range: nullable(Type.Object({ date_from: nullable(Type.String()), date_to: nullable(Type.String()) })),
  last_refresh: nullable(Instant, { description: 'When the result was computed.' }),
  is_cached: Type.Boolean({ description: 'It was computed before it was asked for.' }),
  cache_target_age: nullable(Instant, { description: 'From when on the result counts as old.' }),
  next_allowed_client_refresh: nullable(Instant),
  query_status: nullable(StatusBody, { description: 'Of what failed, or is being computed behind an older result.' }),
  filters_hash: nullable(Type.String(), { description: 'Names the result in the cache.' }),
  error: nullable(ErrorBody, { description: 'Why there is no result.' }),
};

const Place = Type.Object({ id: Type.Integer(), dashboard_id: Type.Integer(), deleted: Type.Boolean() });

export const InsightBody = Type.Object(
  {
    id: Type.Integer(),
    short_id: Type.String(),
    name: nullable(Type.String()),
    derived_name: nullable(Type.String()),
    description: Type.String(),
    query: nullable(Json),
    filters: Type.Object({}, { description: 'Always empty: what is said here becomes a `query`.' }),
    order: Type.Null(),
    deleted: Type.Boolean(),
    dashboards: Type.Array(Type.Integer(), { description: 'On which it is.' }),
    dashboard_tiles: Type.Array(Place),
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
    user_access_level: nullable(stringEnum(LEVELS), { description: 'null: seen by a shared link.' }),
    hogql: Type.Null(),
    alerts: Type.Array(Type.Unknown()),
    last_viewed_at: Type.Null(),
  },
  { title: 'Insight' },
);
export type InsightBody = Static<typeof InsightBody>;

/** Fields that lists leave out with `basic`. */
export const BASIC_HIDES: readonly string[] = [...Object.keys(ResultFields), 'hogql', 'alerts'];

export const BasicInsightBody = Type.Object(
  Object.fromEntries(Object.entries(InsightBody.properties).filter(([name]) => !BASIC_HIDES.includes(name))),
  { title: 'BasicInsight' },
);
