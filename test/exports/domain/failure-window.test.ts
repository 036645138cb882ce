import assert from 'node:assert/strict';
import { failureWindow } from '../../../src/exports/domain/failure-window.ts';

describe('an export pauses itself after', () => {
  const cases: [interval: string, failures: number, runs: number][] = [
    ['hour', 12, 24],
    ['day', 4, 7],
    ['week', 2, 4],
    ['month', 2, 4],
    ['every 1 minutes', 10, 50],
    ['every 5 minutes', 10, 50],
    ['every 59 minutes', 10, 50],
    ['every 60 minutes', 12, 24],
    ['every 1439 minutes', 12, 24],
    ['every 1440 minutes', 4, 7],
  ];
  for (const [interval, failures, runs] of cases) {
    it(`${failures} failures in ${runs} runs, when it runs "${interval}"`, () => {
      assert.deepEqual(failureWindow(interval), { runs, failures });
    });
  }
});
