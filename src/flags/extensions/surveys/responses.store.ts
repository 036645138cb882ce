/** Counts how often surveys were shown, dismissed and answered, from the events that SDKs send. */
import type { Knex } from '../../../platform/db/connection.ts';
import { ensureAnswered } from '../../../events/table/lookup.ts';
import { isRetainedSql } from '../../../events/table/retained-from.ts';

export const SURVEY_EVENTS = ['survey shown', 'survey dismissed', 'survey sent'] as const;
export type SurveyEvent = (typeof SURVEY_EVENTS)[number];

/** Figures for one kind of event. */
export type EventFigures = { total: number; persons: number; firstSeen: string | null; lastSeen: string | null };

export type ResponseFigures = {
  byEvent: ReadonlyMap<SurveyEvent, EventFigures>;
  /** Number of persons who dismissed any of the surveys and answered any of them. */
  dismissedAndSent: number;
};

const TIMEOUT_ADVICE = 'Ask for a shorter period.';

/** Relevant events. Partial answers with the same submission id count once; a dismissal after a partial answer does not count. */
const RELEVANT_EVENTS = `
  select properties ->> '$survey_id' as survey, event, person_id, "timestamp", case event
    when 'survey sent' then coalesce(nullif(properties ->> '$survey_submission_id', ''), uuid::text) else uuid::text end as response
  from events
  where project_id = :projectId and ${isRetainedSql(':projectId')} and properties ->> '$survey_id' = any (:surveys)
    and event in ('survey shown', 'survey dismissed', 'survey sent')
    and (event <> 'survey dismissed' or (properties -> '$survey_partially_completed') is distinct from 'true'::jsonb)
    and "timestamp" >= coalesce(cast(:from as timestamptz), '-infinity')
    and "timestamp" < coalesce(cast(:to as timestamptz), 'infinity')`;

const FIGURES = `
  with relevant as (${RELEVANT_EVENTS})
  select event, count(distinct response)::int as total, count(distinct person_id)::int as persons,
    min("timestamp") as "firstSeen", max("timestamp") as "lastSeen",
    (select count(*)::int from (
      select from relevant group by person_id having bool_or(event = 'survey dismissed') and bool_or(event = 'survey sent')
    ) as both_ways) as "dismissedAndSent"
  from relevant group by event`;

const ANSWERS = `
  with relevant as (${RELEVANT_EVENTS})
  select survey, count(distinct response)::int as answers from relevant where event = 'survey sent' group by survey`;

type Row = EventFigures & { event: SurveyEvent; dismissedAndSent: number };

/** @param db with a statement timeout of some seconds */
export function responseStore(db: Knex) {
  return {
    /**
     * Figures of all surveys together.
     * @param surveys ids
     * @param period bounds as ISO text, or null
     * @throws Unavailable when it takes too long
     */
    async countFigures(
      projectId: number,
      surveys: readonly string[],
      period: { from: string | null; to: string | null },
    ): Promise<ResponseFigures> {
      const query = db.raw<{ rows: Row[] }>(FIGURES, { projectId, surveys: [...surveys], ...period });
      const { rows } = await ensureAnswered(query, TIMEOUT_ADVICE);
      return {
        byEvent: new Map(rows.map(({ event, dismissedAndSent: _same, ...figures }) => [event, figures])),
        dismissedAndSent: rows[0]?.dismissedAndSent ?? 0,
      };
    },

    /** Counts the answers to each survey; surveys without answers are left out. @throws Unavailable when it takes too long */
    async countAnswers(
      projectId: number,
      surveys: readonly string[],
      from: string | null,
    ): Promise<Map<string, number>> {
      const query = db.raw<{ rows: { survey: string; answers: number }[] }>(ANSWERS, {
        projectId,
        surveys: [...surveys],
        from,
        to: null,
      });
      const { rows } = await ensureAnswered(query, TIMEOUT_ADVICE);
      return new Map(rows.map(({ survey, answers }) => [survey, answers]));
    },
  };
}

export type ResponseStore = ReturnType<typeof responseStore>;
