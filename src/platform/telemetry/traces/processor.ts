/** Spans on their way to the collector: cleaned, in a bounded queue, in batches. A collector that does not answer costs spans only. */
import { ExportResultCode, type ExportResult } from '@opentelemetry/core';
import {
  BatchSpanProcessor,
  SamplingDecision,
  type ReadableSpan,
  type Sampler,
  type SpanExporter,
  type SpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { ROOT_CONTEXT, SpanKind } from '@opentelemetry/api';
import type { Logger } from '../logger.ts';
import { allowedAttributes, isAllowedName } from './vocabulary.ts';

/** @param sampler decides by the id of a trace, also about spans of workflows, which are always recorded */
export function cleaningProcessor(exporter: SpanExporter, sampler: Sampler, log: Logger): SpanProcessor {
  const batches = new BatchSpanProcessor(announcing(exporter, log));
  const isChosen = (traceId: string) =>
    sampler.shouldSample(ROOT_CONTEXT, traceId, '', SpanKind.INTERNAL, {}, []).decision ===
    SamplingDecision.RECORD_AND_SAMPLED;
  return {
    onStart: () => {},
    onEnd(span) {
      if (isAllowedName(span.name) && isChosen(span.spanContext().traceId)) batches.onEnd(clean(span));
    },
    forceFlush: () => batches.forceFlush(),
    shutdown: () => batches.shutdown(),
  };
}

/** Without messages, stacks, and all that is not in our vocabulary. */
function clean(span: ReadableSpan): ReadableSpan {
  const { name, kind, parentSpanId, startTime, endTime, duration, ended, resource, instrumentationLibrary } = span;
  const context = span.spanContext();
  return {
    name,
    kind,
    startTime,
    endTime,
    duration,
    ended,
    resource,
    instrumentationLibrary,
    ...(parentSpanId !== undefined && { parentSpanId }),
    spanContext: () => context,
    status: { code: span.status.code },
    attributes: allowedAttributes(span.attributes),
    links: [],
    events: [],
    droppedAttributesCount: 0,
    droppedEventsCount: 0,
    droppedLinksCount: 0,
  };
}

/** Logs when sending begins to fail, and when it succeeds again. */
function announcing(exporter: SpanExporter, log: Logger): SpanExporter {
  let isFailing = false;
  function announce({ code, error }: ExportResult): void {
    if (isFailing === (code === ExportResultCode.FAILED)) return;
    isFailing = !isFailing;
    // Without the error's message, which may hold the collector's answer.
    if (isFailing) log.warn({ code: codeOf(error) }, 'traces cannot be sent to the collector, and are dropped');
    else log.info('traces are sent to the collector again');
  }
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        announce(result);
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

function codeOf(error: unknown): string | number | undefined {
  return (error as { code?: string | number } | undefined)?.code;
}
