/**
 * Tabulates the posterior of a rate or a mean: its density and the density's integral, at evenly spaced points of a scale. On this scale the
 * density has one smooth peak. Deterministic: the same data gives the same numbers, to about nine digits.
 */

/** A distribution of one number. */
export type Posterior = {
  /** Points that are evenly spaced on the scale, with the share of the distribution at each. */
  readonly points: readonly { value: number; weight: number }[];
  /** Probability that the value is at most this. */
  cdf(value: number): number;
  /** @param p between 0 and 1 */
  quantile(p: number): number;
};

/** Maps numbers to the table's scale and back; both mappings are increasing. */
type Scale = { toScale(value: number): number; fromScale(position: number): number };

const INTERVALS = 1024;
/** Drop of the log density from its top to the table's ends; the tails beyond are too small to change a sum near 1. */
const DEPTH = 38;
const HALVINGS = 48;

const logit: Scale = {
  toScale: (value) => (value < 1 ? Math.log(Math.max(0, value) / (1 - value)) : Infinity),
  fromScale: (position) => 1 / (1 + Math.exp(-position)),
};
const identity: Scale = { toScale: (value) => value, fromScale: (position) => position };

/**
 * Posterior of a rate with the uniform prior Beta(1, 1): Beta(1 + successes, 1 + failures).
 * Source: A. Gelman et al., Bayesian Data Analysis, 3rd ed., 2.4.
 */
export function ratePosterior(successes: number, failures: number): Posterior {
  const [a, b] = [1 + successes, 1 + failures];
  const top = a / (a + b);
  // On the logit scale the density is p^a (1 - p)^b. Computed relative to its top, so large counts lose no digits.
  const logDensity = (distance: number) => a * distance - (a + b) * Math.log1p(top * Math.expm1(distance));
  return tabulate(logit, { logDensity, top: Math.log(a / b), width: Math.sqrt((a + b) / a / b) });
}

/**
 * Posterior of the mean over many persons with a flat prior, which is about normal by the central limit theorem.
 * @param standardError positive: the square root of the sample variance divided by the number of persons
 */
export function meanPosterior(mean: number, standardError: number): Posterior {
  const logDensity = (distance: number) => -0.5 * (distance / standardError) ** 2;
  return tabulate(identity, { logDensity, top: mean, width: standardError });
}

/** @param logDensity log-concave function of the distance from its top, where it is 0 */
function tabulate(
  scale: Scale,
  { logDensity, top, width }: { logDensity: (distance: number) => number; top: number; width: number },
): Posterior {
  const from = distanceOfDepth(logDensity, -width);
  const step = (distanceOfDepth(logDensity, width) - from) / INTERVALS;
  const densityAt = (index: number) => Math.exp(logDensity(from + index * step));
  const densities = Float64Array.from({ length: INTERVALS + 1 }, (_, index) => densityAt(index));
  const total = densities.reduce((sum, density) => sum + density) * step;
  const integrals = integralsOf(densities, (index) => densityAt(index + 0.5), step);

  function cdf(value: number): number {
    const position = (scale.toScale(value) - top - from) / step;
    if (!(position > 0)) return 0;
    if (position >= INTERVALS) return 1;
    return integralAt(position, densities, integrals, step) / total;
  }

  return {
    points: Array.from(densities, (density, index) => ({
      value: scale.fromScale(top + from + index * step),
      weight: (density * step) / total,
    })),
    cdf,
    quantile: (p) =>
      scale.fromScale(
        solveIncreasing((position) => cdf(scale.fromScale(position)), p, top + from, top + from + INTERVALS * step),
      ),
  };
}

/** @param step distance from the top where the search begins */
function distanceOfDepth(logDensity: (distance: number) => number, step: number): number {
  let reach = step;
  while (logDensity(reach) > -DEPTH) reach *= 2;
  return (
    Math.sign(step) * solveIncreasing((distance) => -logDensity(Math.sign(step) * distance), DEPTH, 0, Math.abs(reach))
  );
}

/** Integrals from the first point to each point, by Simpson's rule. */
function integralsOf(densities: Float64Array, midpointOf: (index: number) => number, step: number): Float64Array {
  const integrals = new Float64Array(densities.length);
  for (let i = 1; i < densities.length; i++) {
    integrals[i] = integrals[i - 1]! + (step / 6) * (densities[i - 1]! + 4 * midpointOf(i - 1) + densities[i]!);
  }
  return integrals;
}

/** Interpolates the integral between two points by the cubic with its values and slopes there (Hermite). */
function integralAt(position: number, densities: Float64Array, integrals: Float64Array, step: number): number {
  const i = Math.floor(position);
  const t = position - i;
  const rise = integrals[i + 1]! - integrals[i]!;
  const [before, after] = [densities[i]! * step, densities[i + 1]! * step];
  return integrals[i]! + t * (before + t * (3 * rise - 2 * before - after + t * (before + after - 2 * rise)));
}

/** @returns the argument between `low` and `high` at which an increasing function reaches a height, by bisection */
export function solveIncreasing(rising: (x: number) => number, height: number, low: number, high: number): number {
  let [below, above] = [low, high];
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (below + above) / 2;
    if (rising(middle) < height) below = middle;
    else above = middle;
  }
  return (below + above) / 2;
}
