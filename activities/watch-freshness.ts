/** Notices which exports are behind their target, or no longer are, and remembers how far each has delivered. */
import { millisOf } from '../src/exports/domain/instants.ts';
import { lookAt, type LookedAt } from '../src/exports/freshness.ts';
import type { Engine } from './engine.ts';

const AT_ONCE = 200;

/** @returns how many exports are newly behind schedule, or on it again */
export async function watchFreshness(engine: Engine): Promise<number> {
  const ids = await engine.stores.freshness.ids();
  let alerts = 0;
  for (let from = 0; from < ids.length; from += AT_ONCE) {
    const looked = await lookAt(engine.stores, ids.slice(from, from + AT_ONCE));
    for (const one of looked) if (await watch(engine, one)) alerts += 1;
  }
  return alerts;
}

async function watch(engine: Engine, looked: LookedAt): Promise<boolean> {
  const { watched, freshness } = looked;
  const completeUntil = freshness.completeUntil === null ? null : millisOf(freshness.completeUntil);
  if (completeUntil !== null && completeUntil !== watched.completeUntil)
    await engine.stores.freshness.advance(watched.id, completeUntil);
  const isLate = watched.targetSeconds !== null && freshness.lagSeconds > watched.targetSeconds;
  // In a pause nothing is expected to change, and who paused it knows.
  if (watched.paused || isLate === (watched.behindSince !== null)) return false;
  return isLate ? tellBehind(engine, looked) : tellOnTime(engine, looked);
}

async function tellBehind({ stores }: Engine, { watched, freshness }: LookedAt): Promise<boolean> {
  const { lagSeconds, completeUntil } = freshness;
  const summary = `Behind schedule: a data interval has been due for ${lagSeconds} s, the target is ${watched.targetSeconds} s.`;
  return stores.inTransaction(async (inside) => {
    if (!(await inside.health.begin(watched.id, 'behind'))) return false;
    const entry = { batchExportId: watched.id, runId: null, message: summary };
    await inside.logs.append({ ...entry, level: 'WARNING' });
    await inside.outbox.add(watched.id, {
      kind: 'behind_schedule',
      summary,
      details: {
        complete_until: completeUntil,
        lag_seconds: lagSeconds,
        freshness_target_seconds: watched.targetSeconds,
      },
    });
    return true;
  });
}

async function tellOnTime({ stores }: Engine, { watched, freshness }: LookedAt): Promise<boolean> {
  const summary = 'On schedule again.';
  return stores.inTransaction(async (inside) => {
    if (!(await inside.health.end(watched.id, 'behind'))) return false;
    await inside.logs.append({ batchExportId: watched.id, runId: null, level: 'INFO', message: summary });
    await inside.outbox.add(watched.id, {
      kind: 'recovered',
      summary,
      details: { complete_until: freshness.completeUntil, behind_since: watched.behindSince },
    });
    return true;
  });
}
