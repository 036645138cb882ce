/** `/feature_flags/usage/`: how often each flag was called, by answer and day. */
import { readDatetime, parseDatetime } from '../platform/http/parameters/datetime.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../platform/http/parameters/pagination.ts';
import { json, route } from '../platform/http/route.ts';
import { readTimezone } from '../platform/http/parameters/time-zone.ts';
import { nullable, Type, type Static } from '../platform/schema.ts';
import type { FeatureFlagStore } from './feature-flags/feature-flags.store.ts';
import { DEFAULT_DAYS, type FlagUsage, type FlagUsageStore, type GivenInstant } from './usage.store.ts';

export type FlagUsageApi = {
  flagUsage: FlagUsageStore;
  hiddenFlags: Pick<FeatureFlagStore, 'hiddenKeys'>;
};

const FlagUsageBody = Type.Object(
  {
    key: Type.String({ description: 'The key of the flag, from `$feature_flag` of the events.' }),
    variant: nullable(Type.Union([Type.String(), Type.Boolean()]), {
      description: 'The value of the flag, from `$feature_flag_response` of the events; null if the events have none.',
    }),
    day: Type.String({ format: 'date' }),
    calls: Type.Integer(),
    persons: Type.Integer({ description: 'The number of distinct persons for whom the flag was called.' }),
  },
  { title: 'FlagUsage' },
);

const Query = Type.Object({
  ...offsetQuery().properties,
  key: Type.Optional(Type.String({ description: 'Returns only calls of the flag with this key.' })),
  date_from: Type.Optional(
    Type.String({
      description: `Counts calls at or after this time; by default, the ${DEFAULT_DAYS} days before the end.`,
    }),
  ),
  date_to: Type.Optional(Type.String({ description: 'Counts calls before this time; now by default.' })),
  timezone: Type.String({
    default: 'UTC',
    description: 'The IANA name of the time zone for days, and for dates without a time zone; UTC by default.',
  }),
});

const listUsage = route({
  method: 'get',
  path: '/feature_flags/usage/',
  access: { scope: 'feature_flag:read' },
  query: Query,
  answers: { 200: offsetPageOf(FlagUsageBody) },
  summary: 'Count flag calls by flag, variant and day, newest day first',
  description: 'Counts the `$feature_flag_called` events that SDKs send, on the day of their timestamp.',
  async handle({ project, rights, query, url }, { flagUsage, hiddenFlags }: FlagUsageApi) {
    const page = await flagUsage.list(project.id, {
      hidden: await hiddenFlags.hiddenKeys(project.id, rights.visible('feature_flag')),
      key: query.key,
      timezone: readTimezone(query.timezone, 'timezone'),
      from: parseInstant(query.date_from, 'date_from'),
      to: parseInstant(query.date_to, 'date_to'),
      ...pageBounds(query),
    });
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(present) }));
  },
});

function present({ key, response, day, calls, persons }: FlagUsage): Static<typeof FlagUsageBody> {
  const known = typeof response === 'string' || typeof response === 'boolean' || response === null;
  return { key, variant: known ? response : JSON.stringify(response), day, calls, persons };
}

function parseInstant(text: string | undefined, attr: string): GivenInstant | undefined {
  return text === undefined ? undefined : (parseDatetime(text) ?? { instant: readDatetime(text, attr), zoned: true });
}

export const flagUsageRoutes = [listUsage];
