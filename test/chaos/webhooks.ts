/** Whether everything that happened was told: each notice at least once, as it was signed, and always the same. */
import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createPool, type Pool } from '../../src/platform/db/connection.ts';
import { WEBHOOK_SECRET, type Fleet } from './fleet.ts';
import type { Installation } from './installation.ts';

/** A round of the reconciler, and the pauses after three attempts that were refused. */
const PATIENCE_MS = 8 * 60_000;

type Notice = { id: string; subject: string; kind: string; delivered: boolean; isClosed: boolean };

export type CheckedWebhooks = { notices: number; arrived: number; problems: string[] };

/** Waits until no notice is on its way any more. */
export async function checkWebhooks({ source, webhooks }: Installation, fleet: Fleet): Promise<CheckedWebhooks> {
  const pool = createPool({ url: source.url(), applicationName: 'chaos-check', maxConnections: 1 });
  try {
    const deadline = performance.now() + PATIENCE_MS;
    let notices = await noticesOf(pool);
    while (notices.some(({ isClosed }) => !isClosed) && performance.now() < deadline) {
      await sleep(2_000);
      notices = await noticesOf(pool);
    }
    const problems: string[] = [];
    const known = new Map(notices.map((notice) => [notice.id, notice]));
    const bodies = new Map<string, string>();
    for (const { headers, body } of webhooks.received) {
      const id = String(headers['webhook-id']);
      const { subject, type } = JSON.parse(body) as { subject: string; type: string };
      const notice = known.get(id);
      if (!notice) problems.push(`a webhook came of ${id}, which is no notice`);
      else if (notice.subject !== subject || type !== `sluice.batch_export.${notice.kind}`)
        problems.push(`the webhook of ${id} tells of something else`);
      if (headers['webhook-signature'] !== signatureOf(id, String(headers['webhook-timestamp']), body))
        problems.push(`the webhook of ${id} is not signed as its receiver expects`);
      if ((bodies.get(id) ?? body) !== body) problems.push(`the webhook of ${id} came in two forms`);
      bodies.set(id, body);
    }
    const alive = new Set(fleet.alive().map(({ id }) => id));
    for (const { id, subject, delivered, isClosed } of notices) {
      if (!isClosed) problems.push(`notice ${id} is still on its way`);
      else if (delivered && !bodies.has(id)) problems.push(`notice ${id} counts as told, and never came`);
      // Of an export that was deleted nobody is told.
      else if (!delivered && alive.has(subject)) problems.push(`notice ${id} was never told`);
    }
    return { notices: notices.length, arrived: bodies.size, problems };
  } finally {
    await pool.end();
  }
}

async function noticesOf(pool: Pool): Promise<Notice[]> {
  const { rows } = await pool.query<Notice>(
    `select id, batch_export_id as subject, kind, coalesce(delivered, false) as delivered, closed_at is not null as "isClosed"
     from notifications where channel = 'webhook'`,
  );
  return rows;
}

function signatureOf(id: string, timestamp: string, body: string): string {
  const key = Buffer.from(WEBHOOK_SECRET.replace('whsec_', ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}
