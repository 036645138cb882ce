/** Sends traces to a collector, over OTLP by HTTP. The only module that starts OpenTelemetry; loaded if traces are on. */
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { baggageUtils, W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResourcesSync, envDetectorSync, Resource } from '@opentelemetry/resources';
import { BasicTracerProvider, ParentBasedSampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace-base';
import type { Logger } from '../logger.ts';
import type { Role, Span, Traces } from '../traces.ts';
import { cleaningProcessor } from './processor.ts';

export type CollectorOptions = {
  endpoint: string;
  /** `name=value`, comma-separated. */
  headers?: string | undefined;
  /** Fraction of traces that is kept. */
  ratio: number;
  role: Role;
  log: Logger;
};

/** Time for one batch, with its repetitions, and for the last ones when the process stops. */
const SENDING_MS = 2_000;
const { version: VERSION } = createRequire(import.meta.url)('../../../../package.json') as { version: string };

export function connectCollector({ endpoint, headers = '', ratio, role, log }: CollectorOptions): Traces {
  const resource = new Resource({ 'service.name': `sluice-${role}`, 'service.version': VERSION }).merge(
    detectResourcesSync({ detectors: [envDetectorSync] }),
  );
  const exporter = new OTLPTraceExporter({
    url: new URL('v1/traces', endpoint.endsWith('/') ? endpoint : `${endpoint}/`).href,
    headers: baggageUtils.parseKeyPairsIntoRecord(headers),
    timeoutMillis: SENDING_MS,
  });
  const sampler = new TraceIdRatioBasedSampler(ratio);
  const processor = cleaningProcessor(exporter, sampler, log);
  const provider = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: sampler }),
    spanProcessors: [processor],
  });
  const tracer = provider.getTracer('sluice');
  // Capture passes its spans on by itself, which costs less than a context that follows every promise.
  if (role === 'worker') {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  }

  return {
    begin(name) {
      const span = tracer.startSpan(name, { kind: SpanKind.SERVER, root: true }, ROOT_CONTEXT);
      return span.isRecording() ? spanIn(trace.setSpan(ROOT_CONTEXT, span)) : undefined;
    },
    traceStep: (name, { attributes, describe, codeOf }, work) =>
      tracer.startActiveSpan(name, { attributes }, async (span) => {
        try {
          const result = await work();
          span.setAttributes(describe(result));
          return result;
        } catch (error) {
          span.setAttribute('sluice.error_code', codeOf(error));
          span.setStatus({ code: SpanStatusCode.ERROR });
          throw error;
        } finally {
          span.end();
        }
      }),
    currentId: () => trace.getActiveSpan()?.spanContext().traceId,
    openTelemetry: { tracer, processor, resource },
    async close() {
      await Promise.race([provider.shutdown().catch(() => {}), sleep(SENDING_MS, undefined, { ref: false })]);
      context.disable();
      propagation.disable();
    },
  };

  function spanIn(surrounding: Context): Span {
    const span = trace.getSpan(surrounding)!;
    return {
      set: (attributes) => void span.setAttributes(attributes),
      async measure(name, work) {
        const child = tracer.startSpan(name, {}, surrounding);
        try {
          return await work();
        } finally {
          child.end();
        }
      },
      end(failed) {
        if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }
}
