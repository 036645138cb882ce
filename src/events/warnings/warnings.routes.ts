/** `/ingestion_warnings/`: events that were handled differently from what their senders meant. */
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageOfAll } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { WarningStore, WarningSummary } from './warnings.store.ts';

export type WarningsApi = { ingestionWarnings: WarningStore };

const WarningBody = Type.Object(
  {
    code: Type.String({ description: 'The kind of warning.' }),
    count: Type.Integer({ description: 'The number of occurrences.' }),
    last_seen: Type.String({ format: 'date-time' }),
    examples: Type.Array(
      Type.Object({
        detail: Type.String(),
        seen_at: Type.String({ format: 'date-time' }),
        distinct_id: Type.Optional(Type.String()),
        event_uuid: Type.Optional(Type.String()),
      }),
      { description: 'Some examples, newest first.' },
    ),
  },
  { title: 'IngestionWarning' },
);

const Query = Type.Object({
  ...offsetQuery().properties,
  date_from: Type.Optional(
    Type.String({ description: 'Returns only warnings since this time, rounded to the minute.' }),
  ),
  date_to: Type.Optional(
    Type.String({ description: 'Returns only warnings before this time, rounded to the minute.' }),
  ),
});

function present({ lastSeen, ...others }: WarningSummary): Static<typeof WarningBody> {
  return { ...others, last_seen: lastSeen };
}

const listWarnings = route({
  method: 'get',
  path: '/ingestion_warnings/',
  access: { scope: 'ingestion_warning:read' },
  query: Query,
  answers: { 200: offsetPageOf(WarningBody) },
  summary: 'List ingestion warnings by code, most recent first',
  description:
    'Warnings report dropped events, refused merges, historical events stored as current and invalid ' +
    'timestamps. A warning appears about a second after the request and is kept for 30 days.',
  async handle({ project, query, url }, { ingestionWarnings }: WarningsApi) {
    const all = await ingestionWarnings.list(project.id, {
      from: query.date_from === undefined ? undefined : readDatetime(query.date_from, 'date_from'),
      to: query.date_to === undefined ? undefined : readDatetime(query.date_to, 'date_to'),
    });
    return json(200, offsetPage(url, query, pageOfAll(all.map(present), query)));
  },
});

export const warningRoutes = [listWarnings];
