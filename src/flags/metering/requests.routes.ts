/** `/feature_flags/requests/`: numbers of requests for flags, by key and SDK. */
import { InvalidInput } from '../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { REQUEST_KINDS, type StoredRequests, type RequestStore } from './requests.store.ts';

export type FlagRequestsApi = { flagRequests: RequestStore };

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const FlagRequestsBody = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'The day, in UTC.' }),
    kind: stringEnum(REQUEST_KINDS),
    key: Type.String({ description: 'The key, shortened to its first and last characters.' }),
    key_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'The ID of the API key; null for the public key of the project.',
    }),
    sdk: Type.String({ description: 'The SDK as `name/version`, as stated in the requests.' }),
    requests: Type.Integer(),
  },
  { title: 'FlagRequests' },
);

const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const Query = Type.Object({
  ...offsetQuery().properties,
  date_from: Day(`The first day, in UTC; by default, the ${DEFAULT_DAYS} days up to the end.`),
  date_to: Day('The last day, in UTC; today by default.'),
  kind: Type.Optional(stringEnum(REQUEST_KINDS)),
  key: Type.Optional(
    Type.String({ description: 'Returns only requests with this key, given in its shortened form or as its ID.' }),
  ),
  sdk: Type.Optional(Type.String({ description: 'Returns only requests from this SDK, as `name/version`.' })),
});

const listRequests = route({
  method: 'get',
  path: '/feature_flags/requests/',
  access: { scope: 'feature_flag:read' },
  query: Query,
  answers: { 200: offsetPageOf(FlagRequestsBody) },
  summary: 'Count flag requests by day, kind, key and SDK, newest day first',
  description:
    'Counts answered requests only: requests refused by a quota or rate limit are excluded, as are those for ' +
    'no flags or only survey flags. Requests of the last few seconds may be missing.',
  async handle({ project, query, url }, { flagRequests }: FlagRequestsApi) {
    const page = await flagRequests.list(project.id, {
      ...periodOf(query),
      kind: query.kind,
      key: query.key,
      sdk: query.sdk,
      ...pageBounds(query),
    });
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(present) }));
  },
});

export const flagRequestRoutes = [listRequests];

function present({ day, kind, key, keyId, sdk, requests }: StoredRequests): Static<typeof FlagRequestsBody> {
  return { day, kind, key, key_id: keyId, sdk, requests };
}

/** @throws InvalidInput for a period that ends before it starts */
function periodOf(query: { date_from?: string; date_to?: string }): { from: string; to: string } {
  const last = query.date_to ?? new Date().toISOString().slice(0, 10);
  const from = query.date_from ?? daysAfter(last, 1 - DEFAULT_DAYS);
  if (from > last) throw new InvalidInput('The period must start before it ends.', 'date_from');
  return { from, to: last };
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
