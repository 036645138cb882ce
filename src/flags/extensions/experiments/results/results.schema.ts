/** Results on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../../../platform/schema.ts';

const Instant = Type.String({ format: 'date-time' });
const Bounds = Type.Array(Type.Number(), { minItems: 2, maxItems: 2 });

const VariantResult = Type.Object({
  key: Type.String(),
  number_of_samples: Type.Integer({ description: 'Persons, or groups.' }),
  sum: Type.Number({ description: 'Of conversions, how many persons converted.' }),
  sum_squares: Type.Number(),
  mean: nullable(Type.Number(), { description: 'The conversion rate, or the mean per person.' }),
  credible_interval: nullable(Bounds, { description: 'Of the mean: 95 %.' }),
  chance_to_win: nullable(Type.Number(), { description: 'How likely it is that the variant is the best of all.' }),
  lift: nullable(
    Type.Object({
      value: Type.Number({ description: 'How much more than control, in proportion to it: 0.1 is 10 % more.' }),
      credible_interval: nullable(Bounds),
      significant: Type.Boolean({ description: '0 is not in the interval.' }),
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
      total: Type.Integer({ description: 'Persons who take part: those below count.' }),
      variants: Type.Array(
        Type.Object({ key: Type.String(), rollout_percentage: Type.Number(), count: Type.Integer() }),
      ),
      multiple: Type.Integer({ description: 'Persons who saw more than one variant: they are left out.' }),
      holdout: nullable(Type.Object({ key: Type.String(), count: Type.Integer() })),
      sample_ratio: nullable(
        Type.Object({
          expected: Type.Record(Type.String(), Type.Number()),
          chi_square: Type.Number(),
          p_value: Type.Number({ description: 'How likely counts as far from the percentages are by chance.' }),
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
