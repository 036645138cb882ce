/** Traces of requests to capture, and of runs from their schedule to their receipt. `open-traces.ts` opens them. */
import type { OpenTelemetry } from './traces/open-telemetry.ts';
import type { AttributeName, OwnSpanName } from './traces/vocabulary.ts';

export type SpanAttributes = Readonly<Partial<Record<AttributeName, string | number | undefined>>>;

/** An operation under way that the sampler has chosen. */
export type Span = {
  set(attributes: SpanAttributes): void;
  /** Does the work as an operation of this one. */
  measure<T>(name: OwnSpanName, work: () => Promise<T>): Promise<T>;
  /** @param failed whether it is the server's failure */
  end(failed: boolean): void;
};

/** `describe`: attributes that the result gives. `codeOf`: the code of an error, which stands for its message. */
export type StepTracing<T> = {
  attributes: SpanAttributes;
  describe(result: T): SpanAttributes;
  codeOf(error: unknown): string;
};

export type Traces = {
  /** Begins a trace. Ids that the client sent are not used. @returns undefined if the sampler leaves it out */
  begin(name: OwnSpanName): Span | undefined;
  /** Does the work as an operation of the activity around it. */
  traceStep<T>(name: OwnSpanName, tracing: StepTracing<T>, work: () => Promise<T>): Promise<T>;
  /** Id of the trace of the activity around it, if there is one. */
  currentId(): string | undefined;
  /** For Temporal's own instrumentation. */
  openTelemetry: OpenTelemetry;
  /** Sends what is left, for at most two seconds. */
  close(): Promise<void>;
};

export type Role = 'api' | 'worker';

/** Does the work, as an operation of the span if there is one. */
export function measureIn<T>(span: Span | undefined, name: OwnSpanName, work: () => Promise<T>): Promise<T> {
  return span ? span.measure(name, work) : work();
}
