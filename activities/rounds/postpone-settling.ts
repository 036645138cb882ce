/** Postpones intervals that Sluice could not settle: it retries them after growing delays, and gives up after a week. */
import type { UnsettledEntry } from '../../src/exports/deliveries/ledger.store.ts';
import type { Engine } from '../engine.ts';

/** Days after which Sluice assumes that the place no longer exists: its bucket, host or database was removed. */
const GIVE_UP_AFTER_DAYS = 7;

export async function postponeSettling(engine: Engine, entries: readonly UnsettledEntry[]): Promise<void> {
  for (const entry of entries) {
    const days = await engine.stores.troubles.postponeSettling(entry);
    if (days >= GIVE_UP_AFTER_DAYS) await giveUp(engine, entry);
  }
}

async function giveUp({ stores, log }: Engine, entry: UnsettledEntry): Promise<void> {
  const { exportId, runId, start, end } = entry;
  // An earlier delivery is whole as long as no later commit began; an entry of an older run says nothing about the interval.
  const isDelivered = (entry.receipt !== null && entry.state === 'open') || !entry.isNewestRun;
  const summary =
    `Sluice could not settle what a run left half way for ${GIVE_UP_AFTER_DAYS} days, and has given up: ` +
    'unfinished uploads or tables may be left at the destination. ' +
    (isDelivered
      ? 'The earlier delivery of the data interval is unaffected.'
      : 'Retry the data interval to deliver it again.');
  await stores.inTransaction(async (tx) => {
    await tx.ledger.giveUpSettling(entry);
    await tx.troubles.end(entry, 'unsettled');
    if (!isDelivered) await tx.troubles.begin(entry, 'gave_up');
    await tx.logs.append({ batchExportId: exportId, runId, level: 'WARNING', message: summary });
    const details = { run: { id: runId, data_interval_start: start, data_interval_end: end } };
    await tx.outbox.add(exportId, { kind: 'gave_up', summary, details });
  });
  log.warn(
    { batch_export_id: exportId, run_id: runId, interval_end: end },
    'an interval could not be settled: given up',
  );
}
