/** Presents results to clients, with warnings. */
import type { Assessment, VariantAssessment } from './assessment.ts';
import type { Results } from './results.ts';
import type { ResultsBody } from './results.schema.ts';

/** A deviation with a lower p-value is not considered chance (A. Fabijan et al., Diagnosing Sample Ratio Mismatch, KDD 2019). */
const MISMATCH_P_VALUE = 0.001;
/** Upstream's threshold, below which a variant's numbers mean little. */
const MIN_EXPOSURES = 50;

export function presentResults({ results, isCached }: { results: Results; isCached: boolean }): ResultsBody {
  const { period, exposures } = results;
  const { variants, sampleRatio } = exposures;
  return {
    date_from: period.start,
    date_to: period.end,
    last_refresh: results.computedAt,
    is_cached: isCached,
    exposures: {
      total: variants.reduce((total, { count }) => total + count, 0),
      variants: variants.map(({ key, share, count }) => ({ key, rollout_percentage: share, count })),
      multiple: exposures.multiple,
      holdout: exposures.holdout,
      sample_ratio: sampleRatio
        ? { expected: expectedCounts(exposures), chi_square: sampleRatio.chiSquare, p_value: sampleRatio.pValue }
        : null,
    },
    warnings: warningsOf(exposures),
    metrics: results.metrics.map(presentMetric),
    metrics_secondary: results.metricsSecondary.map(presentMetric),
  };
}

function expectedCounts({ variants, sampleRatio }: Results['exposures']): Record<string, number> {
  const comparedVariants = variants.filter(({ share }) => share > 0);
  return Object.fromEntries(comparedVariants.map(({ key }, index) => [key, sampleRatio?.expected[index] ?? 0]));
}

function warningsOf({ variants, sampleRatio }: Results['exposures']): ResultsBody['warnings'] {
  const warnings: ResultsBody['warnings'] = [];
  if (sampleRatio && sampleRatio.pValue < MISMATCH_P_VALUE) {
    const detail =
      "The numbers of persons per variant differ from the flag's percentages by more than chance: exposures of some persons " +
      'are lost or duplicated. The metrics may be wrong.';
    warnings.push({ code: 'sample_ratio_mismatch', detail });
  }
  const few = variants.filter(({ count }) => count < MIN_EXPOSURES).map(({ key }) => key);
  if (few.length > 0) {
    const detail = `Fewer than ${MIN_EXPOSURES} persons were exposed to ${few.join(', ')}: the numbers mean little yet.`;
    warnings.push({ code: 'not_enough_exposures', detail });
  }
  return warnings;
}

function presentMetric({ measure, variants }: Assessment): ResultsBody['metrics'][number] {
  const { uuid, name, kind, goal } = measure;
  return { uuid, name, kind, goal, variants: variants.map(presentVariant) };
}

function presentVariant(variant: VariantAssessment): ResultsBody['metrics'][number]['variants'][number] {
  const { lift } = variant;
  return {
    key: variant.key,
    number_of_samples: variant.count,
    sum: variant.sum,
    sum_squares: variant.squares,
    mean: variant.mean,
    credible_interval: variant.credibleInterval,
    chance_to_win: variant.chanceToWin,
    lift: lift && { value: lift.value, credible_interval: lift.interval, significant: lift.isSignificant },
  };
}
