/** Expected numbers are those of scipy 1.17.1: `beta.ppf`, `norm.ppf`, and `integrate.quad` of densities times distribution functions. */
import assert from 'node:assert/strict';
import {
  chancesToBeBest,
  credibleInterval,
  liftInterval,
} from '../../../../src/flags/extensions/experiments/results/comparison.ts';
import {
  meanPosterior,
  ratePosterior,
  type Posterior,
} from '../../../../src/flags/extensions/experiments/results/posterior.ts';

type Expected = { intervals: number[][]; best: number[]; lifts: number[][] };
type Case = Expected & { says: string; posteriors: () => Posterior[] };

const rates =
  (...counts: [successes: number, failures: number][]) =>
  () =>
    counts.map(([successes, failures]) => ratePosterior(successes, failures));
const means =
  (...known: [mean: number, standardError: number][]) =>
  () =>
    known.map(([mean, standardError]) => meanPosterior(mean, standardError));

const CASES: Case[] = [
  {
    says: 'two rates of a thousand persons each',
    posteriors: rates([100, 900], [130, 870]),
    intervals: [
      [0.08293639849581784, 0.1201691298758606],
      [0.11058665388805146, 0.1522861853527264],
    ],
    best: [0.017834933883648492, 0.9821650661163499],
    lifts: [[0.01756697146512809, 0.6610485844307525]],
  },
  {
    says: 'a rate of which nothing is known, and one of ten persons',
    posteriors: rates([0, 0], [3, 7]),
    intervals: [
      [0.025, 0.975],
      [0.10926344381909811, 0.6097425595724212],
    ],
    best: [2 / 3, 1 / 3],
    lifts: [[-0.8285771839537767, 12.333333333332922]],
  },
  {
    says: 'rates near 0',
    posteriors: rates([0, 50], [1, 49]),
    intervals: [
      [0.000496304407737771, 0.06977703074953864],
      [0.004784992694707293, 0.10447489639551714],
    ],
    best: [0.24752475247524655, 0.7524752475247515],
    lifts: [[-0.8065113770569248, 76.04269889310451]],
  },
  {
    says: 'rates of a million persons each',
    posteriors: rates([12_000, 988_000], [12_500, 987_500]),
    intervals: [
      [0.011788482517104093, 0.012215318303564732],
      [0.012284135160487843, 0.012719661766340044],
    ],
    best: [0.0006541229059571341, 0.9993458770940339],
    lifts: [[0.016054999712111773, 0.06792377951668382]],
  },
  {
    says: 'three rates',
    posteriors: rates([40, 160], [52, 148], [47, 153]),
    intervals: [
      [0.15053528679225067, 0.2609733357539593],
      [0.20418101600532412, 0.32502752856402395],
      [0.1816330764871578, 0.2985340595951099],
    ],
    best: [0.04281445167375035, 0.6904897375039517, 0.26669581082229454],
    lifts: [
      [-0.0932610130153736, 0.8659328080518778],
      [-0.18924811142457953, 0.7040350138996032],
    ],
  },
  {
    says: 'two means',
    posteriors: means([2, 0.1], [2.3, 0.12]),
    intervals: [
      [1.8040036015459946, 2.1959963984540054],
      [2.0648043218551932, 2.5351956781448064],
    ],
    best: [0.027394030107471323, 0.9726059698925271],
    lifts: [[-0.0028965176597710585, 0.32519909193040153]],
  },
  {
    says: 'three means, one of them hardly known',
    posteriors: means([10, 1], [9, 4], [12, 2]),
    intervals: [
      [8.040036015459945, 11.959963984540053],
      [1.160144061839782, 16.839855938160216],
      [8.08007203091989, 15.919927969080108],
    ],
    best: [0.1216592205783789, 0.22985840677730207, 0.648482372644316],
    lifts: [
      [-0.8843134122248387, 0.7562220101761654],
      [-0.22069929919702902, 0.7165774297988037],
    ],
  },
];

function assertClose(actual: unknown, expected: unknown, says: string): void {
  const [numbers, wanted] = [actual, expected].map((one) => [one].flat(2) as number[]);
  assert.equal(numbers!.length, wanted!.length, says);
  for (const [i, number] of numbers!.entries()) {
    const tolerance = 2e-8 * Math.max(1, Math.abs(wanted![i]!));
    assert(Math.abs(number - wanted![i]!) < tolerance, `${says}: ${number} is not ${wanted![i]}`);
  }
}

describe('the comparison of variants', () => {
  for (const { says, posteriors, intervals, best, lifts } of CASES) {
    it(`is what scipy computes of ${says}`, () => {
      const all = posteriors();
      assertClose(all.map(credibleInterval), intervals, 'intervals');
      assertClose(chancesToBeBest(all, 'increase'), best, 'chances');
      assertClose(
        all.slice(1).map((one) => liftInterval(one, all[0]!)),
        lifts,
        'lifts',
      );
    });
  }

  it('turns around when less is better', () => {
    const all = rates([40, 160], [52, 148], [47, 153])();
    assertClose(chancesToBeBest(all, 'decrease'), [0.7657310166708263, 0.05036184213546838, 0.18390714119370266], '');
  });

  it('is right to three digits when one variant has a hundred thousand times as many persons', () => {
    const chances = chancesToBeBest(rates([3, 5], [250_000, 750_000])(), 'increase');
    assert(Math.abs(chances[0]! - 0.8342724232273758) < 1e-3, String(chances));
  });

  it('says nothing of a lift over a mean that may be 0', () => {
    assert.equal(liftInterval(meanPosterior(2, 0.1), meanPosterior(0.1, 0.1)), undefined);
  });
});
