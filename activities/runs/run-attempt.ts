/** Numbers attempts within their run. Temporal counts those of each activity from 1. */
import type { AttemptStep } from '../../src/exports/runs/attempts.store.ts';
import type { Attempt } from '../activity.ts';
import type { Engine } from '../engine.ts';

/** @param before the steps before the activity, whose latest attempt the activity's first one belongs to */
export async function attemptOfRun(
  { stores }: Engine,
  attempt: Attempt,
  runId: string,
  before: readonly AttemptStep[],
): Promise<Attempt> {
  const latest = await stores.attempts.findLatestNumber(runId, before);
  return { ...attempt, number: latest + attempt.number - 1 };
}
