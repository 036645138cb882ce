/** Notices which exports are behind their target, or no longer are, and remembers how far each has delivered. */
import { measureEach, type MeasuredFreshness } from '../../src/exports/monitoring/freshness.ts';
import { forLog } from '../../src/platform/temporal/failures.ts';
import type { Engine } from '../engine.ts';
import { forEachLoggingFailures, exportLogFields, shuffle } from '../round-steps.ts';

const AT_ONCE = 200;

/** @returns how many exports are newly behind schedule, or on schedule again */
export async function watchFreshness(engine: Engine, signal: AbortSignal): Promise<number> {
  const ids = shuffle(await engine.stores.freshness.listIds());
  let alerts = 0;
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const measured = await measureEach(engine.stores, ids.slice(from, from + AT_ONCE), (id, error) =>
      engine.log.warn(
        { ...forLog(error), batch_export_id: id },
        'the freshness of an export could not be checked: the next round tries again',
      ),
    );
    signal.throwIfAborted();
    await forEachLoggingFailures(
      engine,
      signal,
      'the freshness of an export could not be checked: the next round tries again',
      measured,
      ({ watched }) => exportLogFields(watched.id),
      async (measuredFreshness) => {
        if (await updateFreshness(engine, measuredFreshness)) alerts += 1;
      },
    );
  }
  return alerts;
}

async function updateFreshness(engine: Engine, measured: MeasuredFreshness): Promise<boolean> {
  const { watched, freshness, deliveredUntil } = measured;
  if (deliveredUntil !== undefined && deliveredUntil !== watched.completeUntil)
    await engine.stores.freshness.advance(watched.id, deliveredUntil);
  const isLate = watched.targetSeconds !== null && freshness.lagSeconds > watched.targetSeconds;
  // No notice is sent during a pause, because a lag is expected then.
  if (watched.paused || isLate === (watched.behindSince !== null)) return false;
  return isLate ? notifyBehind(engine, measured) : notifyOnTime(engine, measured);
}

async function notifyBehind({ stores }: Engine, { watched, freshness }: MeasuredFreshness): Promise<boolean> {
  const { lagSeconds, completeUntil } = freshness;
  const summary = `Behind schedule: a data interval has been due or out of date for ${lagSeconds} s, the target is ${watched.targetSeconds} s.`;
  return stores.inTransaction(async (tx) => {
    if (!(await tx.health.begin(watched.id, 'behind'))) return false;
    const entry = { batchExportId: watched.id, runId: null, message: summary };
    await tx.logs.append({ ...entry, level: 'WARNING' });
    await tx.outbox.add(watched.id, {
      kind: 'behind_schedule',
      summary,
      details: {
        complete_until: completeUntil,
        lag_seconds: lagSeconds,
        freshness_target_seconds: watched.targetSeconds,
        intervals: freshness.troubles,
      },
    });
    return true;
  });
}

async function notifyOnTime({ stores }: Engine, { watched, freshness }: MeasuredFreshness): Promise<boolean> {
  const summary = 'On schedule again.';
  return stores.inTransaction(async (tx) => {
    if (!(await tx.health.end(watched.id, 'behind'))) return false;
    await tx.logs.append({ batchExportId: watched.id, runId: null, level: 'INFO', message: summary });
    await tx.outbox.add(watched.id, {
      kind: 'recovered',
      summary,
      details: { complete_until: freshness.completeUntil, behind_since: watched.behindSince },
    });
    return true;
  });
}
