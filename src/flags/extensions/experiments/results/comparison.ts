/** Compares variants by their posteriors: which is best, and by how much. */
import { solveIncreasing, type Posterior } from './posterior.ts';

export type Goal = 'increase' | 'decrease';

/** Probability on each side of a credible interval. */
const TAIL = 0.025;

/** Maximum probability that the control is 0 or less; above it, a relative difference would be meaningless. */
const MAX_NOT_POSITIVE = 0.001;

/** The middle 95 %. */
export function credibleInterval(posterior: Posterior): [number, number] {
  return [posterior.quantile(TAIL), posterior.quantile(1 - TAIL)];
}

/**
 * Probability of each variant to be better than all others: the integral of its density times the others' distribution functions.
 * Source: https://www.evanmiller.org/bayesian-ab-testing.html. A sum over evenly spaced points is exact to all digits, because the function
 * is smooth and vanishes at both ends (Trefethen and Weideman, The Exponentially Convergent Trapezoidal Rule, 2014).
 */
export function chancesToBeBest(posteriors: readonly Posterior[], goal: Goal): number[] {
  const isWorse = ({ cdf }: Posterior, value: number) => (goal === 'increase' ? cdf(value) : 1 - cdf(value));
  return posteriors.map((posterior) => {
    const others = posteriors.filter((other) => other !== posterior);
    return expectation(posterior.points, (value) =>
      others.reduce((chance, other) => (chance > 0 ? chance * isWorse(other, value) : 0), 1),
    );
  });
}

/**
 * The middle 95 % of the lift `variant / control - 1`.
 * @returns undefined if the control may well be 0
 */
export function liftInterval(variant: Posterior, control: Posterior): [number, number] | undefined {
  if (control.cdf(0) > MAX_NOT_POSITIVE) return undefined;
  const points = control.points.filter(({ value, weight }) => value > 0 && weight > 0);
  const positive = points.reduce((sum, { weight }) => sum + weight, 0);
  const cdf = (ratio: number) => expectation(points, (value) => variant.cdf(ratio * value)) / positive;
  const middle = variant.quantile(0.5) / control.quantile(0.5);
  const liftAt = (p: number) => {
    let reach = Math.abs(middle) || 1;
    while (cdf(middle - reach) > p || cdf(middle + reach) < p) reach *= 2;
    return solveIncreasing(cdf, p, middle - reach, middle + reach) - 1;
  };
  return [liftAt(TAIL), liftAt(1 - TAIL)];
}

function expectation(points: Posterior['points'], valueOf: (value: number) => number): number {
  return points.reduce((sum, { value, weight }) => sum + weight * valueOf(value), 0);
}
