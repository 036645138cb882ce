/** Paths where events are captured, as SDKs of the last ten years know them, each with and without a trailing slash. */
import { parseCspReports } from './csp-reports.ts';
import { parseEnvelopeV1 } from './envelope-v1.ts';
import { parseEnvelope, type OpenEnvelope } from './envelope.ts';
import { LIMITS } from './limits.ts';

export type CapturePath = {
  methods: readonly string[];
  /** Bytes that a body may have. */
  limit: number;
  /** Absent: data sent to this path is not stored. */
  open?: OpenEnvelope;
};

/** On the last path, server SDKs send events about language models. */
export const CAPTURE_PATHS = ['/capture', '/e', '/track', '/engage', '/batch', '/i/v0/e', '/i/v0/ai/batch'] as const;
export const V1_PATH = '/i/v1/analytics/events';
export const CSP_PATH = '/report';
/** Path of session replay. */
export const REPLAY_PATH = '/s';

const FROM_ANYWHERE = ['GET', 'HEAD', 'POST', 'OPTIONS'];
const BY_POST = ['POST', 'OPTIONS'];

const capturePath: CapturePath = { methods: FROM_ANYWHERE, limit: LIMITS.bodyBytes, open: parseEnvelope };

/** On this path, an event without a name is `$identify`. */
const engagePath: CapturePath = {
  ...capturePath,
  open: (body, surroundings) => parseEnvelope(body, surroundings, '$identify'),
};

const PATHS = new Map<string, CapturePath>(
  [
    ...CAPTURE_PATHS.map((path): [string, CapturePath] => [path, path === '/engage' ? engagePath : capturePath]),
    [V1_PATH, { methods: BY_POST, limit: LIMITS.bodyBytes, open: parseEnvelopeV1 }] as const,
    [CSP_PATH, { methods: BY_POST, limit: LIMITS.reportBytes, open: parseCspReports }] as const,
    [REPLAY_PATH, { methods: BY_POST, limit: LIMITS.bodyBytes }] as const,
  ].flatMap(([path, one]) => [
    [path, one],
    [`${path}/`, one],
  ]),
);

/** @param url of a request, with its query @returns undefined when it is not for capture */
export function capturePathOf(url: string): CapturePath | undefined {
  const query = url.indexOf('?');
  return PATHS.get(query < 0 ? url : url.slice(0, query));
}
