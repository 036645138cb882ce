/** Temporal's instrumentation: spans of workflows and activities, in the trace that a run's workflow begins. Loaded if traces are on. */
import { makeWorkflowExporter, OpenTelemetryActivityInboundInterceptor } from '@temporalio/interceptors-opentelemetry';
import type { WorkerOptions } from '@temporalio/worker';
import type { Traces } from '../../platform/telemetry/traces.ts';

export function tracingOptions({
  openTelemetry: { tracer, processor, resource },
}: Traces): Pick<WorkerOptions, 'sinks' | 'interceptors'> {
  return {
    sinks: { exporter: makeWorkflowExporter(processor, resource) },
    interceptors: {
      activity: [(context) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(context, { tracer }) })],
    },
  };
}
