/** Results on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../../../platform/schema.ts';

const Instant = Type.String({ format: 'date-time' });
const Bounds = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });

const VariantResult = Type.Object({
  key: Type.String(),
  number_of_samples: Type.Integer({ description: 'The number of persons or groups exposed to the variant.' }),
  sum: Type.Number({ description: 'The sum of the metric; for conversions, the number of persons who converted.' }),
  sum_squares: Type.Number(),
  mean: nullable(Type.Number(), {
    description:
      'The mean of the metric per person; for conversions, the conversion rate. Null if it cannot be computed.',
  }),
  credible_interval: nullable(Bounds, {
    description: 'The 95 percent credible interval of the mean; null if it cannot be computed.',
  }),
  chance_to_win: nullable(Type.Number(), {
    description: 'The probability, from 0 to 1, that the variant is the best; null if it cannot be computed.',
  }),
  lift: nullable(
    Type.Object({
      value: Type.Number({ description: 'The relative difference to the control variant: 0.1 means 10 percent more.' }),
      credible_interval: nullable(Bounds),
      significant: Type.Boolean({ description: 'Whether the credible interval excludes 0.' }),
    }),
  ),
});

const MetricResult = Type.Object(
  {
    uuid: Type.String(),
    name: nullable(Type.String()),
    kind: stringEnum(['conversion', 'count', 'sum'] as const),
    goal: stringEnum(['increase', 'decrease'] as const),
    variants: Type.Array(VariantResult),
  },
  { title: 'MetricResult' },
);

export const ResultsBody = Type.Object(
  {
    date_from: Instant,
    date_to: Instant,
    last_refresh: Instant,
    is_cached: Type.Boolean(),
    exposures: Type.Object({
      total: Type.Integer({
        description: 'The number of persons in the analysis, which is the sum of the variants below.',
      }),
      variants: Type.Array(
        Type.Object({ key: Type.String(), rollout_percentage: Type.Number(), count: Type.Integer() }),
      ),
      multiple: Type.Integer({
        description: 'The number of persons who saw more than one variant and are excluded from the analysis.',
      }),
      holdout: nullable(Type.Object({ key: Type.String(), count: Type.Integer() })),
      sample_ratio: nullable(
        Type.Object({
          expected: Type.Record(Type.String(), Type.Number()),
          chi_square: Type.Number(),
          p_value: Type.Number({
            description: 'The probability of counts at least this far from the configured percentages by chance.',
          }),
        }),
      ),
    }),
    warnings: Type.Array(
      Type.Object({
        code: stringEnum(['sample_ratio_mismatch', 'not_enough_exposures'] as const),
        detail: Type.String(),
      }),
    ),
    metrics: Type.Array(MetricResult),
    metrics_secondary: Type.Array(MetricResult),
  },
  { title: 'ExperimentResults' },
);
export type ResultsBody = Static<typeof ResultsBody>;
