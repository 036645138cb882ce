/** Parts of OpenTelemetry that Temporal's instrumentation needs. */
import type { Tracer } from '@opentelemetry/api';
import type { Resource } from '@opentelemetry/resources';
import type { SpanProcessor } from '@opentelemetry/sdk-trace-base';

export type OpenTelemetry = { tracer: Tracer; processor: SpanProcessor; resource: Resource };
