/** Tests whether persons got the variants in the flag's proportions; otherwise exposures of some persons are lost or duplicated. */

/** One variant's count, and its expected share of the total. */
export type Arm = { count: number; share: number };

export type SampleRatio = {
  /** Expected number of persons for each variant. */
  expected: number[];
  chiSquare: number;
  /** Probability of differences at least this large if the proportions are right. */
  pValue: number;
};

/**
 * Pearson's chi-square test of goodness of fit.
 * @param arms variants with a share above 0
 * @returns undefined if there are fewer than two, or no persons
 */
export function sampleRatio(arms: readonly Arm[]): SampleRatio | undefined {
  const total = sum(arms.map(({ count }) => count));
  const shares = sum(arms.map(({ share }) => share));
  if (arms.length < 2 || total === 0) return undefined;
  const expected = arms.map(({ share }) => (total * share) / shares);
  const chiSquare = sum(arms.map(({ count }, i) => (count - expected[i]!) ** 2 / expected[i]!));
  return { expected, chiSquare, pValue: gammaQ(arms.length - 1, chiSquare / 2) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

const TERMS = 1000;
const PRECISION = 1e-15;

/**
 * The upper tail of the chi-square distribution: the regularized incomplete gamma function Q(a, x) with a = degrees / 2. Computed by its
 * series near 0, otherwise by its continued fraction: https://dlmf.nist.gov/8.11.E4 and https://dlmf.nist.gov/8.9.E2.
 */
function gammaQ(degrees: number, x: number): number {
  const a = degrees / 2;
  if (x === 0) return 1;
  const scale = Math.exp(-x + a * Math.log(x)) / gammaOfHalf(degrees);
  return x < a + 1 ? 1 - scale * series(a, x) : scale * continuedFraction(a, x);
}

function series(a: number, x: number): number {
  let term = 1 / a;
  let total = term;
  for (let n = 1; n < TERMS && term > total * PRECISION; n++) {
    term *= x / (a + n);
    total += term;
  }
  return total;
}

/** 1 / (x + 1 - a - 1 (1 - a) / (x + 3 - a - 2 (2 - a) / (x + 5 - a - ...))), from the front (Lentz's method). */
function continuedFraction(a: number, x: number): number {
  let b = x + 1 - a;
  let c = Number.MAX_VALUE;
  let d = 1 / b;
  let value = d;
  for (let n = 1, change = 0; n < TERMS && Math.abs(change - 1) > PRECISION; n++) {
    b += 2;
    const numerator = -n * (n - a);
    d = 1 / (numerator * d + b);
    c = b + numerator / c;
    change = c * d;
    value *= change;
  }
  return value;
}

/** The gamma function of n / 2. */
function gammaOfHalf(n: number): number {
  if (n <= 2) return n === 1 ? Math.sqrt(Math.PI) : 1;
  return (n / 2 - 1) * gammaOfHalf(n - 2);
}
