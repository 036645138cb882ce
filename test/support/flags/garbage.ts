/** Collects garbage on demand, because on a busy machine the collector runs late. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
const LOOK_EVERY_BYTES = 8 * 1024 * 1024;

/**
 * Passes rows on, and measures resident memory without garbage while they are consumed.
 * @returns the rows, and by how much memory grew at most
 */
export function watchMemory(rows: AsyncIterable<Uint8Array>): { rows: AsyncIterable<Uint8Array>; growth(): number } {
  collectGarbage();
  const before = process.memoryUsage.rss();
  let largest = before;
  async function* watched() {
    let bytes = 0;
    for await (const chunk of rows) {
      yield chunk;
      bytes += chunk.length;
      if (bytes < LOOK_EVERY_BYTES) continue;
      bytes = 0;
      collectGarbage();
      largest = Math.max(largest, process.memoryUsage.rss());
    }
  }
  return { rows: watched(), growth: () => largest - before };
}
