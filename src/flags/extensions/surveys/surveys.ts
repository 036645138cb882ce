/** Changes surveys, on behalf of users and as time passes. */
import { randomUUID } from 'node:crypto';
import type { Project } from '../../../platform/http/access.ts';
import type { Users } from '../../../people/accounts/users.store.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import type { FlagStores } from '../../stores.ts';
import { parseFields, checkSurvey, NEW_SURVEY } from './fields.ts';
import type { GivenSurvey } from './surveys.schema.ts';
import type { Survey } from './surveys.store.ts';
import {
  deleteFlags,
  updateFlags,
  setTargetingFlag,
  type SurveyChangeContext,
  type SurveyAuthor,
} from './targeting.ts';
import { isoOf, stateAt } from './timetable.ts';

const SCOPE = 'Survey';

/** Surveys with the flags and users that the API shows with them. */
export type SurveysWithFlags = { surveys: readonly Survey[]; flags: ReadonlyMap<number, FeatureFlag>; users: Users };

/** Effect of the number of answers on a survey. */
export type AnswerEffect = {
  /** Whether the survey has reached its limit of answers, so it ends. */
  isFull: boolean;
  /** End of the sampling interval that has enough answers; milliseconds since 1970. */
  pausedUntil?: number | undefined;
};

type Options = { stores: FlagStores; now?: () => number };

/** @param now milliseconds since 1970 */
export function surveys({ stores: all, now = Date.now }: Options) {
  const runChange = <T>(
    project: Project,
    author: SurveyAuthor,
    work: (change: SurveyChangeContext) => Promise<T>,
  ): Promise<T> => all.inTransaction(project.id, (stores) => work({ stores, project, author }));

  /** Updates the state that follows from the fields and the time, in the row and in the flags. */
  async function updateState(change: SurveyChangeContext, survey: Survey): Promise<Survey> {
    const updatedSurvey = { ...survey, ...stateAt(survey, now()) };
    const internal_targeting_flag_id = await updateFlags(change, updatedSurvey);
    const { end_date, is_running, current_iteration, sampling_paused_until, due_at } = updatedSurvey;
    const state = {
      end_date,
      is_running,
      current_iteration,
      sampling_paused_until,
      due_at,
      internal_targeting_flag_id,
    };
    return change.stores.surveys.update(survey.project_id, survey.id, state);
  }

  async function withFlags(projectId: number, list: readonly Survey[]): Promise<SurveysWithFlags> {
    const ids = list.flatMap((item) => [item.linked_flag_id, item.targeting_flag_id, item.internal_targeting_flag_id]);
    const flags = await all.flags.findByIds(
      projectId,
      ids.filter((id) => id !== null),
    );
    const users = await all.users.findByIds(list.map(({ created_by }) => created_by));
    return { surveys: list, flags: new Map(flags.map((flag) => [flag.id, flag])), users };
  }

  /** @returns the changed survey. A flag that is hidden from the author cannot be linked */
  async function applyChange(change: SurveyChangeContext, before: Survey, input: GivenSurvey): Promise<Survey> {
    const { stores, project, author } = change;
    const changes: Partial<Survey> = parseFields(input);
    await checkSurvey(stores, { ...before, ...changes }, input, {
      linkedBefore: before.linked_flag_id,
      rights: author.viewer,
    });
    const removed = input.remove_targeting_flag ? before.targeting_flag_id : null;
    if (removed !== null) changes.targeting_flag_id = null;
    if (input.targeting_flag_filters) {
      changes.targeting_flag_id = await setTargetingFlag(
        change,
        { ...before, ...changes },
        input.targeting_flag_filters,
      );
    }
    const changed = await stores.surveys.update(project.id, before.id, changes);
    await deleteFlags(change, [removed]);
    return updateState(change, changed);
  }

  return {
    async list(projectId: number, query: { search?: string | undefined; limit: number; offset: number }) {
      const { count, results } = await all.surveys.list(projectId, query);
      return { count, ...(await withFlags(projectId, results)) };
    },

    /** @throws NotFound */
    async get(projectId: number, id: string): Promise<SurveysWithFlags> {
      return withFlags(projectId, [await all.surveys.get(projectId, id)]);
    },

    /** @throws InvalidInput naming the field */
    async create(
      project: Project,
      author: SurveyAuthor,
      input: GivenSurvey & Pick<Survey, 'name' | 'type'>,
    ): Promise<SurveysWithFlags> {
      const survey = await runChange(project, author, async (change) => {
        const { name, type, ...settings } = input;
        const made = await change.stores.surveys.insert({
          ...NEW_SURVEY,
          id: randomUUID(),
          project_id: project.id,
          created_by: author.userId,
          name,
          type,
        });
        const whole = await applyChange(change, made, { name, ...settings });
        await recordChange(change, 'created', whole);
        return whole;
      });
      return withFlags(project.id, [survey]);
    },

    /** Omitted fields keep their values. @throws InvalidInput naming the field; NotFound */
    async change(project: Project, author: SurveyAuthor, id: string, input: GivenSurvey): Promise<SurveysWithFlags> {
      const survey = await runChange(project, author, async (change) => {
        const before = await change.stores.surveys.get(project.id, id);
        const after = await applyChange(change, before, input);
        await recordChange(change, 'updated', after, before);
        return after;
      });
      return withFlags(project.id, [survey]);
    },

    /** Deletes the survey and the flags that it owns. @throws NotFound */
    async delete(project: Project, author: SurveyAuthor, id: string): Promise<void> {
      await runChange(project, author, async (change) => {
        const survey = await change.stores.surveys.get(project.id, id);
        await change.stores.surveys.delete(project.id, id);
        await deleteFlags(change, [survey.targeting_flag_id, survey.internal_targeting_flag_id]);
        await recordChange(change, 'deleted', survey);
      });
    },

    /**
     * Updates one survey to the current time; the change has no author. Safe to repeat.
     * @param project without a name, because no request has looked it up
     * @throws NotFound
     */
    async catchUp(project: Omit<Project, 'name'>, id: string, { isFull, pausedUntil }: AnswerEffect): Promise<void> {
      const nobody = { userId: null, keyId: null };
      await runChange({ name: '', ...project }, nobody, async (change) => {
        const before = await change.stores.surveys.get(project.id, id);
        const paused = pausedUntil === undefined ? {} : { sampling_paused_until: isoOf(pausedUntil) };
        const ended = isFull && before.is_running ? { end_date: isoOf(now()) } : {};
        await recordChange(change, 'updated', await updateState(change, { ...before, ...paused, ...ended }), before);
      });
    },
  };
}

export type Surveys = ReturnType<typeof surveys>;

async function recordChange(
  { stores, project, author }: SurveyChangeContext,
  activity: 'created' | 'updated' | 'deleted',
  survey: Survey,
  before?: Survey,
): Promise<void> {
  const entry = { project, author, scope: SCOPE, itemId: survey.id, activity, name: survey.name };
  await stores.auditLog.recordChange(entry, before && loggedFieldsOf(before), loggedFieldsOf(survey));
}

function loggedFieldsOf({
  due_at: _due,
  is_running: _running,
  updated_at: _updated,
  sampling_paused_until: _paused,
  ...logged
}: Survey): Record<string, unknown> {
  return logged;
}
