/** Changes of surveys, by users and by time. */
import { randomUUID } from 'node:crypto';
import type { Project } from '../../../platform/http/access.ts';
import type { Users } from '../../../people/accounts/users.store.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import type { FlagStores } from '../../stores.ts';
import { checkedFields, checkWhole, NEW_SURVEY } from './fields.ts';
import type { GivenSurvey } from './surveys.schema.ts';
import type { Survey } from './surveys.store.ts';
import { deleteFlags, settleFlags, target, type Acting, type SurveyAuthor } from './targeting.ts';
import { isoOf, standingAt } from './timetable.ts';

const SCOPE = 'Survey';

/** Surveys with the flags and users that answers show with them. */
export type ShownSurveys = { surveys: readonly Survey[]; flags: ReadonlyMap<number, FeatureFlag>; users: Users };

/** Effect of a survey's answers on it. */
export type Answered = {
  /** Whether the survey has all the answers that it wanted, so it ends. */
  full: boolean;
  /** End of the sampling interval that has its answers; milliseconds since 1970. */
  pausedUntil?: number | undefined;
};

type Options = { stores: FlagStores; now?: () => number };

/** @param now milliseconds since 1970 */
export function surveys({ stores: all, now = Date.now }: Options) {
  const acting = <T>(project: Project, author: SurveyAuthor, work: (acting: Acting) => Promise<T>): Promise<T> =>
    all.inTransaction(project.id, (stores) => work({ stores, project, author }));

  /** Stores what follows from the fields and the time, in the flags and in the row. */
  async function settle(acting: Acting, survey: Survey): Promise<Survey> {
    const standing = { ...survey, ...standingAt(survey, now()) };
    const internal_targeting_flag_id = await settleFlags(acting, standing);
    const { end_date, is_running, current_iteration, sampling_paused_until, due_at } = standing;
    const state = {
      end_date,
      is_running,
      current_iteration,
      sampling_paused_until,
      due_at,
      internal_targeting_flag_id,
    };
    return acting.stores.surveys.update(survey.project_id, survey.id, state);
  }

  async function withFlags(projectId: number, list: readonly Survey[]): Promise<ShownSurveys> {
    const ids = list.flatMap((one) => [one.linked_flag_id, one.targeting_flag_id, one.internal_targeting_flag_id]);
    const flags = await all.flags.byIds(
      projectId,
      ids.filter((id) => id !== null),
    );
    const users = await all.users.byIds(list.map(({ created_by }) => created_by));
    return { surveys: list, flags: new Map(flags.map((flag) => [flag.id, flag])), users };
  }

  /** @returns the survey after it; no flag is linked that is hidden from the author */
  async function apply(acting: Acting, before: Survey, given: GivenSurvey): Promise<Survey> {
    const { stores, project, author } = acting;
    const changes: Partial<Survey> = checkedFields(given);
    await checkWhole(stores, { ...before, ...changes }, given, {
      linkedBefore: before.linked_flag_id,
      rights: author.viewer,
    });
    const removed = given.remove_targeting_flag ? before.targeting_flag_id : null;
    if (removed !== null) changes.targeting_flag_id = null;
    if (given.targeting_flag_filters) {
      changes.targeting_flag_id = await target(acting, { ...before, ...changes }, given.targeting_flag_filters);
    }
    const changed = await stores.surveys.update(project.id, before.id, changes);
    await deleteFlags(acting, [removed]);
    return settle(acting, changed);
  }

  return {
    async list(projectId: number, query: { search?: string | undefined; limit: number; offset: number }) {
      const { count, results } = await all.surveys.list(projectId, query);
      return { count, ...(await withFlags(projectId, results)) };
    },

    /** @throws NotFound */
    async get(projectId: number, id: string): Promise<ShownSurveys> {
      return withFlags(projectId, [await all.surveys.get(projectId, id)]);
    },

    /** @throws InvalidInput naming the field */
    async create(
      project: Project,
      author: SurveyAuthor,
      given: GivenSurvey & Pick<Survey, 'name' | 'type'>,
    ): Promise<ShownSurveys> {
      const survey = await acting(project, author, async (acting) => {
        const { name, type, ...settings } = given;
        const made = await acting.stores.surveys.insert({
          ...NEW_SURVEY,
          id: randomUUID(),
          project_id: project.id,
          created_by: author.userId,
          name,
          type,
        });
        const whole = await apply(acting, made, { name, ...settings });
        await record(acting, 'created', whole);
        return whole;
      });
      return withFlags(project.id, [survey]);
    },

    /** Fields that are left out stay. @throws InvalidInput naming the field; NotFound */
    async change(project: Project, author: SurveyAuthor, id: string, given: GivenSurvey): Promise<ShownSurveys> {
      const survey = await acting(project, author, async (acting) => {
        const before = await acting.stores.surveys.get(project.id, id);
        const after = await apply(acting, before, given);
        await record(acting, 'updated', after, before);
        return after;
      });
      return withFlags(project.id, [survey]);
    },

    /** The survey's flags are deleted with it. @throws NotFound */
    async delete(project: Project, author: SurveyAuthor, id: string): Promise<void> {
      await acting(project, author, async (acting) => {
        const survey = await acting.stores.surveys.get(project.id, id);
        await acting.stores.surveys.delete(project.id, id);
        await deleteFlags(acting, [survey.targeting_flag_id, survey.internal_targeting_flag_id]);
        await record(acting, 'deleted', survey);
      });
    },

    /**
     * Applies the passage of time to one survey; the change has no author. Safe to repeat.
     * @param project without a name, because no request looked it up
     * @throws NotFound
     */
    async catchUp(project: Omit<Project, 'name'>, id: string, { full, pausedUntil }: Answered): Promise<void> {
      const nobody = { userId: null, keyId: null };
      await acting({ name: '', ...project }, nobody, async (acting) => {
        const before = await acting.stores.surveys.get(project.id, id);
        const paused = pausedUntil === undefined ? {} : { sampling_paused_until: isoOf(pausedUntil) };
        const ended = full && before.is_running ? { end_date: isoOf(now()) } : {};
        await record(acting, 'updated', await settle(acting, { ...before, ...paused, ...ended }), before);
      });
    },
  };
}

export type Surveys = ReturnType<typeof surveys>;

async function record(
  { stores, project, author }: Acting,
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
