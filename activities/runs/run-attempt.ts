/** Continues the numbering of the preceding steps: attempts are numbered within the run, but Temporal begins at 1 for every activity. */
import type { AttemptStep } from '../../src/exports/runs/attempts.store.ts';
import type { Attempt } from '../activity.ts';
import type { Engine } from '../engine.ts';

/** @param before the preceding steps; the activity's first attempt takes the number of their latest attempt */
export async function attemptOfRun(
  { stores }: Engine,
  attempt: Attempt,
  runId: string,
  before: readonly AttemptStep[],
): Promise<Attempt> {
  const latest = await stores.attempts.findLatestNumber(runId, before);
  return { ...attempt, number: latest + attempt.number - 1 };
}
