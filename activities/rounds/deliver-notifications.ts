/**
 * Delivers the notices in the outbox. Safe to repeat: a notice that was taken becomes due again unless it is closed. A notice may therefore
 * arrive more than once, under the same id every time.
 */
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import { NOTIFICATION_SECRET } from '../../src/exports/monitoring/notifications.ts';
import { composeEmail } from '../../src/platform/notify/mail.ts';
import type { Outgoing } from '../../src/platform/notify/outbox.store.ts';
import { cloudEvent, sendWebhook } from '../../src/platform/notify/webhook.ts';
import type { Attempt } from '../activity.ts';
import type { Engine as WholeEngine } from '../engine.ts';

type Engine = Pick<WholeEngine, 'stores' | 'configs' | 'rules' | 'mailer'>;

/** Counts of a round, for Temporal's UI. `postponed`: all notices that were not delivered, also those that are not retried. */
export type Deliveries = { delivered: number; postponed: number };

const WEBHOOKS_AT_ONCE = 20;
/** After this time no further notices are taken, because a receiver that does not answer must not delay the reconciler's next round. */
const BUDGET_MS = 10_000;
/** Delays after the first attempts; later attempts follow hourly, for three days in all. */
const RETRY_AFTER_SECONDS = [30, 60, 300, 900];
const HOUR_SECONDS = 3_600;
const MAX_ATTEMPTS = RETRY_AFTER_SECONDS.length + 72;

export async function deliverNotifications(engine: Engine, { signal }: Pick<Attempt, 'signal'>): Promise<Deliveries> {
  const counts: Deliveries = { delivered: 0, postponed: 0 };
  // A copied database sends no notices; a restored one sends them after `sluice recover`.
  // tooth: blocked-tells-nobody
  if ((await engine.stores.timeline.getState()).blocked !== null) return counts;
  const deadline = performance.now() + BUDGET_MS;
  const count = async (deliveries: AsyncGenerator<boolean>) => {
    for await (const isDelivered of deliveries) counts[isDelivered ? 'delivered' : 'postponed'] += 1;
  };
  await Promise.all([
    count(deliverDueWebhooks(engine, signal, deadline)),
    count(deliverDueMail(engine, signal, deadline)),
  ]);
  await engine.stores.outbox.prune();
  return counts;
}

/** Delivers due notices to webhooks, and yields for each notice whether it was delivered. */
async function* deliverDueWebhooks(engine: Engine, signal: AbortSignal, deadline: number): AsyncGenerator<boolean> {
  while (performance.now() < deadline) {
    const due = await engine.stores.outbox.takeForWebhooks(WEBHOOKS_AT_ONCE);
    yield* await Promise.all(due.map((notice) => deliverWebhook(engine, notice, signal)));
    if (due.length < WEBHOOKS_AT_ONCE) return;
  }
}

async function deliverWebhook(engine: Engine, notice: Outgoing, signal: AbortSignal): Promise<boolean> {
  const batchExport = await engine.stores.batchExports.find(notice.batchExportId);
  const url = batchExport?.notifications?.webhook?.url;
  // The export or its webhook was removed, so there is no recipient left.
  if (!batchExport?.notificationSecret || url === undefined) return recordOutcome(engine, [notice], 'unwanted');
  const { rules, configs } = engine;
  let secret: string;
  try {
    secret = configs.decryptSecret(batchExport, NOTIFICATION_SECRET, batchExport.notificationSecret);
  } catch {
    // One export's row must not block the notices of all others.
    return recordOutcome(engine, [notice], 'its secret cannot be decrypted; set it again', 'The webhook');
  }
  const problem = await sendWebhook({ url, secret }, notice.id, cloudEvent(notice, batchExport), { rules, signal });
  return recordOutcome(engine, [notice], problem, 'The webhook');
}

/** Delivers due notices by email, and yields for each email whether it was delivered. */
async function* deliverDueMail(engine: Engine, signal: AbortSignal, deadline: number): AsyncGenerator<boolean> {
  while (engine.mailer && performance.now() < deadline) {
    signal.throwIfAborted();
    const due = await engine.stores.outbox.takeForMail();
    if (due.length === 0) return;
    yield await deliverMail(engine, due, await engine.stores.batchExports.find(due[0]!.batchExportId));
  }
}

async function deliverMail(engine: Engine, due: Outgoing[], batchExport: BatchExport | undefined): Promise<boolean> {
  const emails = batchExport?.notifications?.emails ?? [];
  if (!batchExport || emails.length === 0) return recordOutcome(engine, due, 'unwanted');
  return recordOutcome(engine, due, await engine.mailer!.send(emails, composeEmail(due, batchExport)), 'An email');
}

/**
 * @param problem reason why the notice did not arrive; `unwanted`: its recipient is gone; undefined: it arrived
 * @returns whether the notice is delivered
 */
async function recordOutcome(
  { stores }: Engine,
  notices: readonly Outgoing[],
  problem: string | undefined,
  channel = '',
): Promise<boolean> {
  const ids = notices.map(({ id }) => id);
  const { attempts, batchExportId } = notices[0]!;
  if (problem === undefined || problem === 'unwanted') {
    await stores.outbox.close(ids, problem === undefined);
    return problem === undefined;
  }
  if (attempts < MAX_ATTEMPTS) {
    await stores.outbox.retryAfter(ids, RETRY_AFTER_SECONDS[attempts - 1] ?? HOUR_SECONDS);
  } else await stores.outbox.close(ids, false);
  const next = attempts < MAX_ATTEMPTS ? 'It will be retried.' : 'It will not be retried.';
  const message = `${channel} for "${notices.map(({ kind }) => kind).join(', ')}" did not arrive: ${problem}. ${next}`;
  if (attempts === 1 || attempts === MAX_ATTEMPTS)
    await stores.logs.append({ batchExportId, runId: null, level: 'WARNING', message });
  return false;
}
