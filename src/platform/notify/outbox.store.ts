/**
 * The outbox: one row for each channel that a notice goes to, written in the transaction of the reported change, so no notice
 * is lost. A taken row becomes due again unless it is closed, because the process that took it may be gone.
 */
import type { Knex } from '../db/connection.ts';
import type { Notice, NoticeKind } from './notice.ts';

/** A notice being sent; `attempts` includes this attempt. */
export type Outgoing = Notice & {
  id: string;
  projectId: number;
  batchExportId: string;
  createdAt: string;
  attempts: number;
};

type Row = {
  id: string;
  project_id: number;
  batch_export_id: string;
  kind: NoticeKind;
  content: { summary: string; details: Record<string, unknown> };
  created_at: string;
  attempts: number;
};

function outgoingFrom(row: Row): Outgoing {
  return {
    id: row.id,
    projectId: row.project_id,
    batchExportId: row.batch_export_id,
    kind: row.kind,
    ...row.content,
    createdAt: row.created_at,
    attempts: row.attempts,
  };
}

/** Time that an attempt may take before another process makes another one. */
const TAKEN_SECONDS = 120;
/** Days for which delivered and abandoned notices are kept. */
const KEPT_DAYS = 30;
const MAIL_EVERY = '1 day';

const TAKE_SQL = `update notifications set attempts = attempts + 1, due_at = clock_timestamp() + make_interval(secs => ${TAKEN_SECONDS})`;

/** Sorts by age, because an update returns rows in any order. */
const byAge = (a: Outgoing, b: Outgoing) => a.createdAt.localeCompare(b.createdAt);

export function outboxStore(db: Knex) {
  return {
    /** Puts a notice into the outbox, once for each channel that the export uses for this kind, if any. */
    async add(exportId: string, { kind, summary, details }: Notice): Promise<void> {
      await db.raw(
        `insert into notifications (id, project_id, batch_export_id, channel, kind, content)
         select gen_random_uuid(), project_id, id, channel, :kind, :content
         from batch_exports, unnest(array['webhook', 'mail']) as channel
         where id = :exportId and deleted_at is null and jsonb_exists(notifications -> 'on', :kind)
           and case channel when 'webhook' then jsonb_typeof(notifications -> 'webhook') = 'object'
             else jsonb_array_length(notifications -> 'emails') > 0 end`,
        { exportId, kind, content: JSON.stringify({ summary, details }) },
      );
    },

    /** Takes some notices that are due for webhooks, the oldest first. */
    async takeForWebhooks(limit: number): Promise<Outgoing[]> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `${TAKE_SQL} where id in (
           select id from notifications where closed_at is null and channel = 'webhook' and due_at <= clock_timestamp()
           order by due_at limit ? for update skip locked
         ) returning *`,
        [limit],
      );
      return rows.map(outgoingFrom).sort(byAge);
    },

    /**
     * Takes all notices waiting for mail of one export, oldest first; only if the export had no mail for a day.
     * @returns none when no mail is due
     */
    async takeForMail(): Promise<Outgoing[]> {
      const { rows } = await db.raw<{ rows: Row[] }>(
        `${TAKE_SQL} where id in (
           select id from notifications
           where closed_at is null and channel = 'mail' and batch_export_id = (
             select batch_export_id from notifications as due
             where closed_at is null and channel = 'mail' and due_at <= clock_timestamp() and not exists (
               select from notifications as sent where sent.batch_export_id = due.batch_export_id and sent.channel = 'mail'
                 and sent.delivered and sent.closed_at > clock_timestamp() - interval '${MAIL_EVERY}')
             order by due_at limit 1)
           for update skip locked
         ) returning *`,
      );
      return rows.map(outgoingFrom).sort(byAge);
    },

    /** Closes notifications: delivered, or given up. */
    async close(ids: readonly string[], isDelivered: boolean): Promise<void> {
      await db('notifications')
        .whereIn('id', [...ids])
        .whereNull('closed_at')
        .update({ delivered: isDelivered, closed_at: db.raw('clock_timestamp()') });
    },

    async retryAfter(ids: readonly string[], seconds: number): Promise<void> {
      await db('notifications')
        .whereIn('id', [...ids])
        .update({ due_at: db.raw('clock_timestamp() + make_interval(secs => ?)', [seconds]) });
    },

    /** Deletes notices that were closed long ago. */
    async prune(): Promise<void> {
      await db('notifications').whereRaw(`closed_at < clock_timestamp() - interval '${KEPT_DAYS} days'`).delete();
    },
  };
}
