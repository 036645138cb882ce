/** Sends content to a server as `sluice capture` does, with short waits. */
import { readAccessLogLine } from '../../../src/platform/sending/access-log.ts';
import { readNdjsonLine } from '../../../src/platform/sending/ndjson.ts';
import { sendFile, type FileSummary } from '../../../src/platform/sending/send-file.ts';
import { createSender, type SenderOptions } from '../../../src/platform/sending/sender.ts';

export async function* streamOf(text: string): AsyncGenerator<Buffer> {
  yield Buffer.from(text);
}

type Overrides = Partial<SenderOptions> & { perBatch?: number; log?: boolean };

export async function sendTo(
  { url }: { url: string },
  bytes: AsyncIterable<Buffer>,
  { perBatch = 10, log = false, ...options }: Overrides = {},
): Promise<FileSummary & { retries: number }> {
  let retries = 0;
  const send = createSender({
    url,
    key: 'phc_test',
    secretKey: undefined,
    historical: true,
    retry: { firstDelayMs: 5, maxDelayMs: 50, giveUpAfterMs: 300 },
    onRetry: () => (retries += 1),
    ...options,
  });
  const summary = await sendFile({
    bytes,
    readLine: log ? readAccessLogLine : readNdjsonLine,
    limits: { events: perBatch, bytes: 1e6 },
    concurrency: 3,
    send,
    onProgress: () => {},
  });
  return { ...summary, retries };
}
