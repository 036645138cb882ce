/** The time of the next attempt, by the policies that activities are scheduled with. */
import assert from 'node:assert/strict';
import { nextTryInSeconds } from '../../activities/next-try.ts';
import { FINISHING, MOVING, PLANNING } from '../../workflows/policies.ts';

const NOW = Date.parse('2026-11-24T10:00:00Z');
const DAY = 24 * 3_600_000;

const pauses = (policy: typeof MOVING, ...attempts: number[]) =>
  attempts.map((attempt) => {
    const retried = { attempt, scheduledTimestampMs: NOW, scheduleToCloseTimeoutMs: DAY };
    return nextTryInSeconds({ ...retried, retryPolicy: policy.retry! }, NOW);
  });

describe('the next attempt', () => {
  it('comes after pauses that double up to a minute', () => {
    assert.deepEqual(pauses(MOVING, 1, 2, 3, 6, 7, 19), [1, 2, 4, 32, 60, 60]);
    assert.deepEqual(pauses(PLANNING, 1, 2, 500), [0.5, 1, 60]);
  });

  it('comes never after the last one', () => {
    assert.deepEqual(pauses(MOVING, 20), [undefined]);
    assert.deepEqual(pauses(FINISHING, 29, 30), [60, undefined]);
  });

  it('comes never after the time that all of them have', () => {
    const late = { attempt: 9, scheduledTimestampMs: NOW - DAY + 59_000, scheduleToCloseTimeoutMs: DAY };
    assert.equal(nextTryInSeconds({ ...late, retryPolicy: MOVING.retry! }, NOW), undefined);
  });

  it('comes after a second where Temporal does not send the retry policy, as with first attempts that it dispatches at once', () => {
    const first = { attempt: 1, scheduledTimestampMs: NOW, scheduleToCloseTimeoutMs: DAY };
    assert.equal(nextTryInSeconds(first, NOW), 1);
  });
});
