/** Expected numbers are those of scipy 1.17.1: `chisquare`. */
import assert from 'node:assert/strict';
import { sampleRatio } from '../../../../src/flags/extensions/experiments/results/sample-ratio.ts';

type Case = [counts: number[], shares: number[], chiSquare: number, pValue: number];

const CASES: Case[] = [
  [[500, 500], [50, 50], 0, 1],
  [[520, 480], [50, 50], 1.6, 0.20590321073206466],
  [[5400, 4600], [50, 50], 64, 1.2441921148543578e-15],
  [[300, 340, 360], [1, 1, 1], 5.6, 0.06081006262521794],
  [[100, 100, 100, 140], [25, 25, 25, 25], 10.909090909090908, 0.012227750494272804],
  [[10, 12], [90, 10], 48.50505050505051, 3.294393605649114e-12],
  [[510, 490, 505, 495, 500, 520, 480, 500, 515, 485], Array<number>(10).fill(10), 3, 0.9642949726850891],
];

const arms = (counts: number[], shares: number[]) => counts.map((count, i) => ({ count, share: shares[i]! }));

describe('the sample ratio', () => {
  for (const [counts, shares, chiSquare, pValue] of CASES) {
    it(`of ${counts.join(', ')} at ${shares.join(':')} is what scipy computes`, () => {
      const ratio = sampleRatio(arms(counts, shares))!;
      assert(Math.abs(ratio.chiSquare - chiSquare) < 1e-9 * (1 + chiSquare), String(ratio.chiSquare));
      assert(Math.abs(ratio.pValue - pValue) < 1e-10 * pValue, String(ratio.pValue));
    });
  }

  it('expects what the shares say, also where they do not sum to 100', () => {
    assert.deepEqual(sampleRatio(arms([30, 10], [45, 15]))!.expected, [30, 10]);
  });

  it('is empty for no persons, and for one variant', () => {
    assert.equal(sampleRatio(arms([0, 0], [50, 50])), undefined);
    assert.equal(sampleRatio(arms([7], [100])), undefined);
  });
});
