/** Pauses of batch exports: the spans in which their schedules start nothing, and the notes of the current one. */
import type { Knex } from '../../platform/db/connection.ts';

/** Kinds of authors of pauses. `sluice` pauses after too many failures; `temporal` is its own UI or CLI, which name no person. */
export const PAUSERS = ['user', 'project_key', 'sluice', 'temporal'] as const;
export type Pauser = (typeof PAUSERS)[number];

/** Fields of the user who paused. */
type PausingUser = { id: number; uuid: string; first_name: string; last_name: string; email: string };

/** The pause that an export is in. Instants are ISO. */
export type OpenPause = {
  at: string;
  /** null if an earlier version, which stored no authors, began the pause. */
  by: Pauser | null;
  /** null if the author is not a user, or the user was deleted. */
  user: PausingUser | null;
  reason: string | null;
  /** Automatic end of the pause; null if a person has to end it. */
  resumeAt: string | null;
};

export type PauseAuthor = { by: Pauser; userId: number | null };
/** Notes for a pause; absent fields stay as they are. */
export type PauseNotes = { reason?: string | null; resumeAt?: string | null };

const iso = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The open pause of a row of `batch_exports` as one JSON value; null if there is none. */
export const PAUSE_JSON = `(
  select json_build_object('at', ${iso('paused_at')}, 'by', paused_by, 'reason', reason, 'resumeAt', ${iso('resume_at')}, 'user',
    (select json_build_object('id', id, 'uuid', uuid, 'first_name', first_name, 'last_name', last_name, 'email', email)
      from users where users.id = paused_by_user))
  from batch_export_pauses where batch_export_id = batch_exports.id and unpaused_at is null
  order by paused_at desc limit 1) as pause`;

export function pauseStore(db: Knex) {
  const open = (exportId: string) =>
    db('batch_export_pauses').where({ batch_export_id: exportId }).whereNull('unpaused_at');

  return {
    /** @param since when the pause began, by default now; moved to the end of the last pause if earlier, and to now if in the future */
    async begin(
      exportId: string,
      { by, userId }: PauseAuthor,
      { since = null, reason = null, resumeAt = null }: PauseNotes & { since?: string | null } = {},
    ): Promise<void> {
      await db.raw(
        `insert into batch_export_pauses (batch_export_id, paused_by, paused_by_user, reason, resume_at, paused_at)
         select :exportId, :by, :userId, :reason, :resumeAt, least(clock_timestamp(),
           greatest(coalesce(cast(:since as timestamptz), 'infinity'),
             (select max(unpaused_at) from batch_export_pauses where batch_export_id = :exportId)))`,
        { exportId, by, userId, reason, resumeAt, since },
      );
    },

    /** Changes the notes of the current pause. */
    async changeNotes(exportId: string, { by, userId }: PauseAuthor, { reason, resumeAt }: PauseNotes): Promise<void> {
      await open(exportId).update({
        // A new reason makes its author the author of the pause.
        ...(reason !== undefined && { reason, paused_by: by, paused_by_user: userId }),
        ...(resumeAt !== undefined && { resume_at: resumeAt }),
      });
    },

    /**
     * Ends the current pause: now, or at its planned end, if that has passed.
     * @returns the planned end, if that has passed
     */
    async end(exportId: string): Promise<string | undefined> {
      const { rows } = await db.raw<{ rows: { passed_end: string | null }[] }>(
        `update batch_export_pauses set unpaused_at = greatest(paused_at, least(resume_at, clock_timestamp()))
         where batch_export_id = ? and unpaused_at is null
         returning case when resume_at = unpaused_at then resume_at end as passed_end`,
        [exportId],
      );
      return rows.find(({ passed_end: end }) => end !== null)?.passed_end ?? undefined;
    },

    /** Exports whose pause should have ended automatically, the longest ago first. */
    async listOverdue(limit: number): Promise<{ projectId: number; id: string }[]> {
      return db('batch_export_pauses as pause')
        .join('batch_exports as export', 'export.id', 'pause.batch_export_id')
        .whereNull('pause.unpaused_at')
        .where('pause.resume_at', '<=', db.raw('clock_timestamp()'))
        .where('export.paused', true)
        .whereNull('export.deleted_at')
        .orderBy('pause.resume_at')
        .limit(limit)
        .select({ id: 'export.id', projectId: 'export.project_id' });
    },
  };
}
