/** Turns traces on if the environment names a collector. Otherwise, no module of OpenTelemetry is loaded. */
import type { Config } from '../config.ts';
import type { Logger } from './logger.ts';
import type { Role, Traces } from './traces.ts';

export type TraceSettings = Pick<
  Config,
  'OTEL_EXPORTER_OTLP_ENDPOINT' | 'OTEL_EXPORTER_OTLP_HEADERS' | 'OTEL_TRACES_SAMPLER' | 'OTEL_TRACES_SAMPLER_ARG'
>;

/** Fraction of traces that is kept where the operator sets none: requests to capture are many and alike, runs are few. */
const DEFAULT_RATIOS = { api: 0.01, worker: 1 };

/** @returns undefined if traces are off */
export async function openTraces(settings: TraceSettings, role: Role, log: Logger): Promise<Traces | undefined> {
  const endpoint = settings.OTEL_EXPORTER_OTLP_ENDPOINT;
  const ratio = ratioOf(settings, role);
  if (endpoint === undefined || ratio === 0) return undefined;
  const { connectCollector } = await import('./traces/collector.ts');
  return connectCollector({ endpoint, headers: settings.OTEL_EXPORTER_OTLP_HEADERS, ratio, role, log });
}

/** All traces begin here, so a sampler that follows its parent decides as its root does. */
function ratioOf(
  { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: argument }: TraceSettings,
  role: Role,
): number {
  switch (sampler?.replace('parentbased_', '')) {
    case 'always_on':
      return 1;
    case 'always_off':
      return 0;
    default:
      return argument === undefined ? DEFAULT_RATIOS[role] : Number(argument);
  }
}
