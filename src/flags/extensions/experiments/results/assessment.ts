/** Assesses one metric of an experiment: estimates each variant, its chance to be the best, and its lift over the control. */
import { chancesToBeBest, credibleInterval, liftInterval } from './comparison.ts';
import type { Measure } from './metrics.ts';
import { meanPosterior, ratePosterior, type Posterior } from './posterior.ts';
import { CONTROL } from '../variants.ts';

/** Aggregated measurements of one variant: one number per exposed person, 0 or 1 for conversions. */
export type Sample = { key: string; count: number; sum: number; squares: number };

export type VariantAssessment = Sample & {
  /** The conversion rate, or the mean; null if nobody was exposed. */
  mean: number | null;
  credibleInterval: [number, number] | null;
  /** Probability that no other variant is better; null until all variants can be compared. */
  chanceToWin: number | null;
  /** Relative difference from the control's mean; null for the control, and if a mean is missing or the control's mean is not positive. */
  lift: { value: number; interval: [number, number] | null; isSignificant: boolean } | null;
};

export type Assessment = { measure: Measure; variants: VariantAssessment[] };

export function assess(measure: Measure, samples: readonly Sample[]): Assessment {
  const posteriors = samples.map((sample) => posteriorOf(measure, sample));
  const chances = posteriors.every((one) => one !== undefined) ? chancesToBeBest(posteriors, measure.goal) : undefined;
  const control = samples.findIndex(({ key }) => key === CONTROL);
  return {
    measure,
    variants: samples.map((sample, index) => {
      const posterior = posteriors[index];
      return {
        ...sample,
        mean: meanOf(sample),
        credibleInterval: posterior ? credibleInterval(posterior) : null,
        chanceToWin: chances?.[index] ?? null,
        lift: index === control ? null : liftOf(sample, posterior, samples[control], posteriors[control]),
      };
    }),
  };
}

/** @returns undefined if there is too little data */
function posteriorOf({ kind }: Measure, { count, sum, squares }: Sample): Posterior | undefined {
  if (count === 0) return undefined;
  if (kind === 'conversion') return ratePosterior(sum, count - sum);
  const variance = (squares - sum ** 2 / count) / (count - 1);
  return count > 1 && variance > 0 ? meanPosterior(sum / count, Math.sqrt(variance / count)) : undefined;
}

function meanOf({ count, sum }: Sample): number | null {
  return count === 0 ? null : sum / count;
}

function liftOf(
  sample: Sample,
  posterior: Posterior | undefined,
  control: Sample | undefined,
  controlPosterior: Posterior | undefined,
): VariantAssessment['lift'] {
  const [mean, base] = [meanOf(sample), control ? meanOf(control) : null];
  if (mean === null || base === null || base <= 0) return null;
  const interval = posterior && controlPosterior ? (liftInterval(posterior, controlPosterior) ?? null) : null;
  const isSignificant = interval !== null && (interval[0] > 0 || interval[1] < 0);
  return { value: mean / base - 1, interval, isSignificant };
}
