/** `/feature_flags/requests/`: who asked for flags how often. */
import { InvalidInput } from '../../platform/errors.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { REQUEST_KINDS, type KeptRequests, type RequestStore } from './requests.store.ts';

export type FlagRequestsApi = { flagRequests: RequestStore };

const DEFAULT_DAYS = 30;
const DAY_MS = 86_400_000;

const FlagRequestsBody = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In UTC.' }),
    kind: stringEnum(REQUEST_KINDS),
    key: Type.String({ description: 'Its beginning and its end.' }),
    key_id: nullable(Type.String({ format: 'uuid' }), {
      description: 'Of the API key; null: the public key of the project.',
    }),
    sdk: Type.String({ description: 'As `name/version`, as the requests said.' }),
    requests: Type.Integer(),
  },
  { title: 'FlagRequests' },
);

const Day = (description: string) => Type.Optional(Type.String({ format: 'date', description }));

const Query = Type.Object({
  ...offsetQuery().properties,
  date_from: Day(`Since this day, in UTC. Without it, the ${DEFAULT_DAYS} days up to the end.`),
  date_to: Day('Up to this day. Without it, up to today.'),
  kind: Type.Optional(stringEnum(REQUEST_KINDS)),
  key: Type.Optional(Type.String({ description: 'Only this key: as it is shown, or its id.' })),
  sdk: Type.Optional(Type.String({ description: 'Only this SDK, as it is shown.' })),
});

const listRequests = route({
  method: 'get',
  path: '/feature_flags/requests/',
  access: { scope: 'feature_flag:read' },
  query: Query,
  answers: { 200: offsetPageOf(FlagRequestsBody) },
  summary: 'Count the requests for feature flags per day, kind, key and SDK, the newest day first',
  description:
    'Of requests that were answered: those that a quota or a limit refused are not counted, nor those that wanted no flags or those ' +
    'of surveys only. What was asked in the last seconds may be missing.',
  async handle({ project, query, url }, { flagRequests }: FlagRequestsApi) {
    const page = await flagRequests.list(project.id, {
      ...periodOf(query),
      kind: query.kind,
      key: query.key,
      sdk: query.sdk,
      limit: boundedLimit(query.limit),
      offset: query.offset,
    });
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(present) }));
  },
});

export const flagRequestRoutes = [listRequests];

function present({ day, kind, key, keyId, sdk, requests }: KeptRequests): Static<typeof FlagRequestsBody> {
  return { day, kind, key, key_id: keyId, sdk, requests };
}

/** @throws InvalidInput when it ends before it starts */
function periodOf(query: { date_from?: string; date_to?: string }): { from: string; to: string } {
  const last = query.date_to ?? new Date().toISOString().slice(0, 10);
  const from = query.date_from ?? daysAfter(last, 1 - DEFAULT_DAYS);
  if (from > last) throw new InvalidInput('The period must start before it ends.', 'date_from');
  return { from, to: last };
}

function daysAfter(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}
