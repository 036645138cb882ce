/** Where events are captured. SDKs of ten years know these paths, each with and without the slash at its end. */
import { LIMITS } from './limits.ts';

export type CapturePath = {
  /** Bytes that a body may have. */
  limit: number;
  /** Of events that have none. */
  eventName?: string;
};

/** The last one is where the newest server SDKs send what language models did. */
export const CAPTURE_PATHS = ['/capture', '/e', '/track', '/engage', '/batch', '/i/v0/e', '/i/v0/ai/batch'] as const;

const PATHS = new Map<string, CapturePath>(
  CAPTURE_PATHS.flatMap((path) => {
    const limit = path.endsWith('/batch') ? LIMITS.batchBytes : LIMITS.bodyBytes;
    // What is sent there says who somebody is, and nothing else.
    const one: CapturePath = path === '/engage' ? { limit, eventName: '$identify' } : { limit };
    return [
      [path, one],
      [`${path}/`, one],
    ];
  }),
);

/** @param url of a request, with its query @returns undefined when it is not for capture */
export function capturePathOf(url: string): CapturePath | undefined {
  const query = url.indexOf('?');
  return PATHS.get(query < 0 ? url : url.slice(0, query));
}
