/** How long a destination is tried before its run ends, as the documentation has it. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { ActivityOptions } from '@temporalio/workflow';
import { FINISHING, MAX_SINGLE_PARTS, MOVING, MOVING_RANGE } from '../../workflows/policies.ts';

const UNITS: Record<string, number> = { second: 1, seconds: 1, minute: 60, minutes: 60 };

function secondsOf(duration: unknown): number {
  const [amount, unit] = String(duration).split(' ');
  return Number(amount) * UNITS[unit!]!;
}

/** The pauses between all attempts, in whole minutes. */
function minutesOf({ retry }: ActivityOptions): number {
  const { initialInterval, maximumInterval, backoffCoefficient, maximumAttempts } = retry!;
  let seconds = 0;
  for (let failed = 0; failed < maximumAttempts! - 1; failed++) {
    seconds += Math.min(secondsOf(initialInterval) * backoffCoefficient! ** failed, secondsOf(maximumInterval));
  }
  return Math.floor(seconds / 60);
}

describe('the time that a destination is tried for', () => {
  it('is the documented one', () => {
    const documentation = readFileSync(new URL('../../docs/destinations.md', import.meta.url), 'utf8');
    assert.ok(
      documentation
        .replaceAll(/\s+/g, ' ')
        .includes(
          `A part is tried for ${minutesOf(MOVING)} minutes, a range of parts (in runs of more than ` +
            `${MAX_SINGLE_PARTS.toLocaleString('en')} parts) for ${minutesOf(MOVING_RANGE)} minutes, ` +
            `a commit for ${minutesOf(FINISHING)} minutes.`,
        ),
    );
  });
});
