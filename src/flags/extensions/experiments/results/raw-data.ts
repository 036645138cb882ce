/** Checks rights to the properties that metrics read, because results reveal property values to anybody who can choose the metrics. */
import { isDeepStrictEqual } from 'node:util';
import type { Rights } from '../../../../platform/http/access.ts';
import { ensureRaw, rawAccessByLevel, type RawData } from '../../../../people/access/raw-data.ts';
import { parseMetric, type Metric } from './metrics.ts';

/**
 * @param metrics checked metrics from a request
 * @param previous stored metrics, which may stay
 * @throws PermissionDenied
 */
export function ensureMayMeasure(
  { rights }: { rights: Pick<Rights, 'levelOf'> },
  metrics: readonly Metric[],
  previous: readonly Metric[] = [],
): void {
  const added = metrics.filter((metric) => !previous.some((stored) => isDeepStrictEqual(metric, stored)));
  // tooth: raw-metrics
  ensureRaw(rawAccessByLevel(rights), added.flatMap(dataReadBy));
}

function dataReadBy(metric: Metric): RawData[] {
  const { filters, property } = parseMetric(metric);
  // An expression may read any property.
  const kinds = filters.flatMap(({ type }): RawData[] => (type === 'hogql' ? ['event', 'person'] : [type]));
  return property === null ? kinds : [...kinds, 'event'];
}
