/** Sends a file as events: reads, names, groups and sends its lines in constant memory, whatever the file's size. */
import { batches, type BatchLimits, type Outgoing } from './batches.ts';
import { lines } from './lines.ts';
import { BadLine, type ReadLine } from './reading.ts';
import { createLineNamer } from './repeats.ts';
import type { Refusal, Send } from './sender.ts';

/** Bad lines that are reported one by one; the rest are only counted. */
const REFUSALS_KEPT = 20;

export type Progress = { lines: number; sent: number; batches: number; badLines: number };
export type FileSummary = Progress & {
  /** The first bad lines, in the order in which they were found. */
  firstBadLines: Refusal[];
};

export type SendFileOptions = {
  bytes: AsyncIterable<Buffer>;
  readLine: ReadLine;
  limits: BatchLimits;
  /** Batches on their way at once. */
  concurrency: number;
  send: Send;
  onProgress(progress: Progress): void;
};

/**
 * Sends every line that can be sent; blank lines do not count.
 * @throws CommandFailed from `send` or from the input; lines sent until then are stored
 */
export async function sendFile(options: SendFileOptions): Promise<FileSummary> {
  const { bytes, readLine, limits, concurrency, send, onProgress } = options;
  const summary: FileSummary = { lines: 0, sent: 0, batches: 0, badLines: 0, firstBadLines: [] };
  const refuse = (refusal: Refusal) => {
    summary.badLines += 1;
    if (summary.firstBadLines.length < REFUSALS_KEPT) summary.firstBadLines.push(refusal);
  };

  const uuidOf = createLineNamer();
  async function* outgoingEvents(): AsyncGenerator<Outgoing> {
    for await (const line of lines(bytes)) {
      const text = line.bytes?.toString('utf8').trim();
      if (text === '') continue;
      summary.lines += 1;
      try {
        if (text === undefined || !line.bytes) throw new BadLine('longer than 4 MiB');
        yield { line: line.number, json: jsonWithUuid(line.bytes, text) };
      } catch (error) {
        if (!(error instanceof BadLine)) throw error;
        refuse({ line: line.number, reason: error.message });
      }
    }
  }
  const jsonWithUuid = (line: Buffer, text: string): string => {
    const parsedLine = readLine(text);
    return parsedLine.json(parsedLine.hasUuid ? '' : uuidOf(line, parsedLine.timeMs));
  };

  const deliver = async (batch: Outgoing[], signal: AbortSignal) => {
    const { sent, refused } = await send(batch, signal);
    summary.sent += sent;
    summary.batches += 1;
    for (const refusal of refused) refuse(refusal);
    onProgress(summary);
  };

  await forEachConcurrently(concurrency, batches(outgoingEvents(), limits), deliver);
  return summary;
}

/**
 * Runs `work` on each item, at most `limit` at once. The first failure stops the reading, aborts the signal that the others
 * were given, and is thrown when they have ended.
 */
async function forEachConcurrently<T>(
  limit: number,
  items: AsyncIterable<T>,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const stop = new AbortController();
  const running = new Set<Promise<void>>();
  try {
    for await (const item of items) {
      stop.signal.throwIfAborted();
      const task = work(item, stop.signal)
        .catch((error: unknown) => stop.abort(error))
        .finally(() => running.delete(task));
      running.add(task);
      if (running.size >= limit) await Promise.race(running);
    }
  } catch (error) {
    stop.abort(error);
  }
  await Promise.all(running);
  stop.signal.throwIfAborted();
}
