/** Computes results of experiments, and caches them for a minute. */
import { setImmediate } from 'node:timers/promises';
import { InvalidInput } from '../../../../platform/errors.ts';
import { variantsOf, type Variant } from '../../../feature-flags/filters.ts';
import { parseMetric, type Measure, type Metric } from './metrics.ts';
import { assess, type Assessment, type Sample } from './assessment.ts';
import { isoMicros } from '../../../../platform/time/iso.ts';
import type { LinkedExperiment } from '../present.ts';
import { SEVERAL_VARIANTS, type ResultsRow } from './results-sql.ts';
import type { ExperimentResultsStore } from './results.store.ts';
import { sampleRatio, type SampleRatio } from './sample-ratio.ts';
import { holdoutVariant } from '../variants.ts';

export type Results = {
  period: { start: string; end: string };
  computedAt: string;
  exposures: {
    variants: { key: string; share: number; count: number }[];
    multiple: number;
    holdout: { key: string; count: number } | null;
    sampleRatio: SampleRatio | undefined;
  };
  metrics: Assessment[];
  metricsSecondary: Assessment[];
};

export type ExperimentResults = {
  /** @throws InvalidInput for an experiment that has not begun; Unavailable when it takes too long */
  get(linked: LinkedExperiment, refresh: boolean): Promise<{ results: Results; isCached: boolean }>;
};

const CACHE_MS = 60_000;
const MAX_CACHED = 200;

export function experimentResults({
  store,
  now,
}: {
  store: ExperimentResultsStore;
  now: () => number;
}): ExperimentResults {
  /** Results by experiment; requests during a computation wait for its result. */
  const cache = new Map<number, { state: string; until: number; isPending: boolean; results: Promise<Results> }>();

  async function compute(linked: LinkedExperiment): Promise<Results> {
    const prepared = prepareResults(linked, now());
    const rows = await store.read(prepared.query);
    const metrics = await assessAll(prepared.primary, 0, prepared.variants, rows);
    const metricsSecondary = await assessAll(prepared.secondary, prepared.primary.length, prepared.variants, rows);
    const { period } = prepared.query;
    const computedAt = new Date(now()).toISOString();
    return { period, computedAt, exposures: exposuresOf(prepared, rows), metrics, metricsSecondary };
  }

  return {
    async get(linked, refresh) {
      const { experiment, flag } = linked;
      const state = `${experiment.updated_at} ${flag.version}`;
      const cached = cache.get(experiment.id);
      const isFresh = cached?.state === state && (cached.isPending || (!refresh && cached.until > now()));
      if (isFresh) return { isCached: !cached.isPending, results: await cached.results };
      const entry = { state, until: now() + CACHE_MS, isPending: true, results: compute(linked) };
      cache.delete(experiment.id);
      cache.set(experiment.id, entry);
      if (cache.size > MAX_CACHED) cache.delete(cache.keys().next().value!);
      try {
        return { isCached: false, results: await entry.results };
      } catch (error) {
        if (cache.get(experiment.id) === entry) cache.delete(experiment.id);
        throw error;
      } finally {
        entry.isPending = false;
      }
    },
  };
}

function prepareResults({ experiment, flag, holdout }: LinkedExperiment, at: number) {
  const { start_date: start, end_date: ended, exposure_criteria: criteria } = experiment;
  if (start === null) throw new InvalidInput('The experiment has not been launched yet.');
  const nowIso = isoMicros(at);
  if (start > nowIso) throw new InvalidInput(`The experiment has not begun: it starts at ${start}.`);
  const variants = variantsOf(flag.filters);
  const holdoutKey = holdout ? holdoutVariant(holdout.id) : null;
  const [primary, secondary] = [experiment.metrics, experiment.metrics_secondary].map(measuresOf) as [
    Measure[],
    Measure[],
  ];
  const query = {
    projectId: experiment.project_id,
    flagKey: flag.key,
    variants: [...variants.map(({ key }) => key), ...(holdoutKey === null ? [] : [holdoutKey])],
    groupTypeIndex: flag.filters.aggregation_group_type_index ?? null,
    period: { start, end: ended !== null && ended < nowIso ? ended : nowIso },
    countsFirstVariant: criteria['multiple_variant_handling'] === 'first_seen',
    measures: [...primary, ...secondary],
  };
  return { query, variants, holdoutKey, primary, secondary };
}

function measuresOf(metrics: readonly Metric[]): Measure[] {
  return metrics.map(parseMetric);
}

function countOf(rows: readonly ResultsRow[], variant: string): number {
  return rows.find((row) => row.variant === variant)?.actors ?? 0;
}

function exposuresOf(
  { variants, holdoutKey }: ReturnType<typeof prepareResults>,
  rows: readonly ResultsRow[],
): Results['exposures'] {
  const variantCounts = variants.map(({ key, rollout_percentage }) => ({
    key,
    share: rollout_percentage,
    count: countOf(rows, key),
  }));
  return {
    variants: variantCounts,
    multiple: countOf(rows, SEVERAL_VARIANTS),
    holdout: holdoutKey === null ? null : { key: holdoutKey, count: countOf(rows, holdoutKey) },
    sampleRatio: sampleRatio(variantCounts.filter(({ share }) => share > 0)),
  };
}

/** Assesses metrics, yielding to other requests in between. @param offset index in the rows of the first of these measures */
async function assessAll(
  measures: readonly Measure[],
  offset: number,
  variants: readonly Variant[],
  rows: readonly ResultsRow[],
): Promise<Assessment[]> {
  const assessments: Assessment[] = [];
  for (const [index, measure] of measures.entries()) {
    const samples: Sample[] = variants.map(({ key }) => {
      const row = rows.find(({ variant }) => variant === key);
      return {
        key,
        count: row?.actors ?? 0,
        sum: row?.sums[offset + index] ?? 0,
        squares: row?.squares[offset + index] ?? 0,
      };
    });
    assessments.push(assess(measure, samples));
    await setImmediate();
  }
  return assessments;
}
