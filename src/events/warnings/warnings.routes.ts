/** `/ingestion_warnings/`: what became of a project's events otherwise than their senders meant. */
import { datetimeOf } from '../../platform/http/parameters/datetime.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../../platform/http/parameters/pagination.ts';
import { json, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { WarningStore, WarningSummary } from './warnings.store.ts';

export type WarningsApi = { ingestionWarnings: WarningStore };

const WarningBody = Type.Object(
  {
    code: Type.String({ description: 'What kind of thing happened.' }),
    count: Type.Integer({ description: 'How often.' }),
    last_seen: Type.String({ format: 'date-time' }),
    examples: Type.Array(
      Type.Object({
        detail: Type.String(),
        seen_at: Type.String({ format: 'date-time' }),
        distinct_id: Type.Optional(Type.String()),
        event_uuid: Type.Optional(Type.String()),
      }),
      { description: 'The newest first, a few.' },
    ),
  },
  { title: 'IngestionWarning' },
);

const Query = Type.Object({
  ...offsetQuery().properties,
  date_from: Type.Optional(Type.String({ description: 'Only what was seen since then, to the minute.' })),
  date_to: Type.Optional(Type.String({ description: 'Only what was seen before, to the minute.' })),
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
  summary: 'List ingestion warnings by their code, the one that was seen last first',
  description:
    'Events that were dropped, merges that were refused, history that was stored as live, timestamps that mean nothing. A ' +
    'warning is here about a second after the request that caused it, for 30 days.',
  async handle({ project, query, url }, { ingestionWarnings }: WarningsApi) {
    const all = await ingestionWarnings.list(project.id, {
      from: query.date_from === undefined ? undefined : datetimeOf(query.date_from, 'date_from'),
      to: query.date_to === undefined ? undefined : datetimeOf(query.date_to, 'date_to'),
    });
    const results = all.slice(query.offset, query.offset + boundedLimit(query.limit)).map(present);
    return json(200, offsetPage(url, query, { count: all.length, results }));
  },
});

export const warningRoutes = [listWarnings];
