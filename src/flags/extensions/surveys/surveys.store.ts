/** Rows of surveys. Fields have the names of the table and of the wire, because most are only passed through. */
import { SQL_STATE, sqlState } from '../../../platform/db/sql-states.ts';
import type { Knex } from '../../../platform/db/connection.ts';
import { InvalidInput, NotFound } from '../../../platform/errors.ts';
import type { Appearance, Conditions } from './display.ts';
import type { Question } from './questions.ts';
import type { SurveyStateAt, Timetable } from './timetable.ts';

export const SURVEY_TYPES = ['popover', 'api', 'widget', 'external_survey'] as const;
export const SCHEDULES = ['once', 'recurring', 'always'] as const;

/** Fields of a survey that users set. Instants are ISO text. */
export type SurveyFields = Timetable & {
  name: string;
  description: string;
  type: (typeof SURVEY_TYPES)[number];
  schedule: (typeof SCHEDULES)[number] | null;
  questions: Question[] | null;
  conditions: Conditions | null;
  appearance: Appearance | null;
  responses_limit: number | null;
  linked_flag_id: number | null;
  enable_partial_responses: boolean | null;
};

/** Stored state, computed from the fields and the time. */
export type SurveyState = Omit<SurveyStateAt, 'end_date' | 'rollout_percentage'> & {
  targeting_flag_id: number | null;
  internal_targeting_flag_id: number | null;
};

export type Survey = SurveyFields &
  SurveyState & { id: string; project_id: number; created_by: number | null; created_at: string; updated_at: string };

export type SurveyToCheck = Survey & {
  organization_id: string;
  /** Whether the survey changes now because of its dates. Others may change because they have enough answers. */
  is_due: boolean;
};

/** A survey with the keys of its flags. */
export type PublishedSurvey = Survey & {
  linked_flag_key: string | null;
  targeting_flag_key: string | null;
  internal_targeting_flag_key: string | null;
};

export function surveyStore(db: Knex) {
  const surveysOfProject = (projectId: number) => db<Survey>('surveys').where({ project_id: projectId });

  return {
    /** @throws NotFound when the project has no such survey */
    async get(projectId: number, id: string): Promise<Survey> {
      const row = await surveysOfProject(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return row;
    },

    /** Lists the newest first. @param search a part of the name or the description */
    async list(
      projectId: number,
      { search, limit, offset }: { search?: string | undefined; limit: number; offset: number },
    ): Promise<{ count: number; results: Survey[] }> {
      const matchingRows = () => {
        const all = surveysOfProject(projectId);
        return search ? all.whereRaw(`strpos(lower(name || ' ' || description), lower(?)) > 0`, [search]) : all;
      };
      const countRow = (await matchingRows().count({ count: '*' }).first()) as unknown as { count: string };
      const newestFirst = ['created_at', 'id'].map((column) => ({ column, order: 'desc' }));
      const results = await matchingRows().orderBy(newestFirst).limit(limit).offset(offset);
      return { count: Number(countRow.count), results };
    },

    /** @throws InvalidInput when there is another survey of this name */
    async insert(survey: Omit<Survey, 'created_at' | 'updated_at'>): Promise<Survey> {
      const [row] = await db<Survey>('surveys').insert(stringifyQuestions(survey)).returning('*').catch(throwNameTaken);
      return row!;
    },

    /** @throws InvalidInput when there is another survey of this name; NotFound */
    async update(projectId: number, id: string, changes: Partial<SurveyFields & SurveyState>): Promise<Survey> {
      const [row] = await surveysOfProject(projectId)
        .where({ id })
        .update({ ...stringifyQuestions(changes), updated_at: db.fn.now() })
        .returning('*')
        .catch(throwNameTaken);
      if (!row) throw new NotFound();
      return row;
    },

    async delete(projectId: number, id: string): Promise<void> {
      await surveysOfProject(projectId).where({ id }).delete();
    },

    /** Lists the surveys with a start date, and the earliest of these dates. */
    async startedSurveys(
      projectId: number,
      { archived }: { archived?: boolean } = {},
    ): Promise<{ ids: string[]; earliest: string | null }> {
      const rows = await surveysOfProject(projectId)
        .whereNotNull('start_date')
        .where(archived === undefined ? {} : { archived })
        .orderBy('start_date')
        .select('id', 'start_date');
      return { ids: rows.map(({ id }) => id), earliest: rows[0]?.start_date ?? null };
    },

    /** Lists the surveys that pages may show once they start, oldest first; without drafts and archived surveys. */
    async listPublished(projectId: number): Promise<PublishedSurvey[]> {
      const { rows } = await db.raw<{ rows: PublishedSurvey[] }>(
        `select surveys.*, linked.key as linked_flag_key, targeting.key as targeting_flag_key,
           internal.key as internal_targeting_flag_key
         from surveys
           left join feature_flags as linked on linked.id = linked_flag_id
           left join feature_flags as targeting on targeting.id = targeting_flag_id
           left join feature_flags as internal on internal.id = internal_targeting_flag_id
         where surveys.project_id = ? and not archived and start_date is not null order by surveys.created_at, surveys.id`,
        [projectId],
      );
      return rows;
    },

    /** @returns the name of a survey that owns this flag, or is running and linked to it */
    async findNameByFlag(projectId: number, flagId: number): Promise<string | undefined> {
      const row = await surveysOfProject(projectId)
        .whereRaw(
          '(targeting_flag_id = :flagId or internal_targeting_flag_id = :flagId or (linked_flag_id = :flagId and is_running))',
          {
            flagId,
          },
        )
        .first('name');
      return row?.name;
    },

    /** Lists surveys of all projects that may have to change: by time, or because the number of answers is limited. */
    async listSurveysToCheck(): Promise<SurveyToCheck[]> {
      const { rows } = await db.raw<{ rows: SurveyToCheck[] }>(
        `select surveys.*, organization_id, coalesce(due_at <= now(), false) as is_due
         from surveys join projects on projects.id = project_id
         where due_at <= now() or (is_running and (responses_limit is not null or response_sampling_limit > 0))`,
      );
      return rows;
    },
  };
}

export type SurveyStore = ReturnType<typeof surveyStore>;

/** Stringifies the questions, because the driver would write an array as a Postgres array, not as JSON. */
function stringifyQuestions<T extends Partial<SurveyFields>>(fields: T): T {
  const { questions } = fields;
  return questions ? { ...fields, questions: JSON.stringify(questions) } : fields;
}

function throwNameTaken(error: unknown): never {
  if (sqlState(error) !== SQL_STATE.uniqueViolation) throw error;
  throw new InvalidInput('There is already a survey with this name.', 'name', 'unique');
}
