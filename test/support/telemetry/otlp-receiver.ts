/** Stands in for an OpenTelemetry collector: decodes OTLP over HTTP with protobuf, by the exporter's own schema. */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import root from '@opentelemetry/otlp-transformer/build/src/generated/root.js';
import { listen } from '../servers/listening.ts';

export type ReceivedSpan = {
  name: string;
  traceId: string;
  spanId: string;
  /** '' of the first span of a trace. */
  parentSpanId: string;
  attributes: Record<string, string | number>;
  isFailed: boolean;
  service: unknown;
};

export type OtlpReceiver = {
  url: string;
  spans: ReceivedSpan[];
  /** All that arrived, for searching. */
  bytes(): string;
  stop(): Promise<void>;
};

type Value = { stringValue?: string; intValue?: number | string; doubleValue?: number };
type Attributes = { key: string; value: Value }[];
type RawSpan = {
  name: string;
  traceId: Uint8Array;
  spanId: Uint8Array;
  parentSpanId?: Uint8Array | null;
  attributes?: Attributes;
  status?: { code?: number };
};
type Request = { resourceSpans: { resource: { attributes: Attributes }; scopeSpans: { spans: RawSpan[] }[] }[] };

type Decoder = { decode(bytes: Uint8Array): Request };
type Schema = {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: Decoder } } } } };
};

const decoder = (root as unknown as Schema).opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
const hex = (bytes: Uint8Array | null | undefined) => Buffer.from(bytes ?? []).toString('hex');
const valuesOf = (attributes: Attributes = []) =>
  Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue || Number(value.intValue || value.doubleValue)]),
  );
const FAILED = 2;

/** @param answers false: it takes requests, but never answers them */
export async function startOtlpReceiver({ answers = true } = {}): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: Buffer[] = [];
  const server = createServer((request, response) => {
    void buffer(request).then((body) => {
      bodies.push(body);
      for (const { resource, scopeSpans } of decoder.decode(body).resourceSpans)
        for (const span of scopeSpans.flatMap((scope) => scope.spans))
          spans.push({
            name: span.name,
            traceId: hex(span.traceId),
            spanId: hex(span.spanId),
            parentSpanId: hex(span.parentSpanId),
            attributes: valuesOf(span.attributes),
            isFailed: span.status?.code === FAILED,
            service: valuesOf(resource.attributes)['service.name'],
          });
      if (answers && request.url === '/v1/traces') response.end();
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    bytes: () => Buffer.concat(bodies).toString('latin1'),
    async stop() {
      server.closeAllConnections();
      await new Promise((stopped) => server.close(stopped));
    },
  };
}
