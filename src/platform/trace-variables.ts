/** Variables of the environment for traces, with OpenTelemetry's own names; part of `Environment`. */
import { stringEnum, Type } from './schema.ts';

export const TraceVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: Type.Optional(
    Type.String({
      pattern: '^https?://[^\\s/?#]+',
      description:
        'OpenTelemetry collector that gets traces of the API and the workers, by OTLP over HTTP: `http://collector:4318`. Unset: no traces.',
    }),
  ),
  OTEL_EXPORTER_OTLP_HEADERS: Type.Optional(
    Type.String({ description: 'Headers for the collector, such as its key: `name=value`, comma-separated.' }),
  ),
  OTEL_TRACES_SAMPLER: Type.Optional(
    stringEnum(
      [
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ],
      {
        description:
          'Which traces are kept. Unset: OTEL_TRACES_SAMPLER_ARG of them. All traces begin in Sluice, so `parentbased_` makes no difference.',
      },
    ),
  ),
  OTEL_TRACES_SAMPLER_ARG: Type.Optional(
    Type.String({
      pattern: '^(0|1|0?\\.\\d+|1\\.0+)$',
      description: 'Fraction of traces that `traceidratio` keeps. Unset: 0.01 of requests to capture, and all runs.',
    }),
  ),
};
