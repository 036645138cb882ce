/** The fifty events of `examples/events.ndjson`, sent as `sluice capture --historical` sends them. */
import { api, ApiError, unwrap } from '../../api/client.ts';
import { csrfToken } from '../../api/session-fetch.ts';

/** The span of the events, in whole hours. */
export const EXAMPLE_MORNING = { start: '2025-06-02T09:00:00Z', end: '2025-06-02T12:00:00Z' };

/** Namespace of the version 5 uuids of lines, the same as in `sluice capture`, so a line that is sent by both is stored once. */
const LINE_NAMESPACE = [0x5f, 0x0c, 0x7f, 0x0e, 0x8a, 0x4e, 0x5d, 0x0b, 0xb1, 0xa6, 0x6f, 0x1d, 0x9f, 0x0a, 0x7c, 0x11];

/** @returns the number of events @throws ApiError */
export async function loadExampleMorning(projectId: number): Promise<number> {
  const [project, { default: text }] = await Promise.all([
    unwrap(api.GET('/api/projects/{project_id}/', { params: { path: { project_id: String(projectId) } } })),
    import('../../../../examples/events.ndjson?raw'),
  ]);
  const lines = text.trim().split('\n');
  const batch = await Promise.all(lines.map(eventOf));
  const answer = await fetch('/batch/', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-CSRFToken': csrfToken() },
    body: JSON.stringify({ api_key: project.api_token, historical_migration: true, batch }),
  });
  if (!answer.ok) throw new ApiError(answer.status, await answer.json().catch(() => undefined));
  return batch.length;
}

async function eventOf(line: string): Promise<Record<string, unknown>> {
  const uuid = await uuidOf(line);
  return { ...(JSON.parse(line) as Record<string, unknown>), ...(uuid !== undefined && { uuid }) };
}

/** @returns the line's uuid, version 5; undefined where the browser computes no digests: over http, except on loopback */
async function uuidOf(line: string): Promise<string | undefined> {
  const subtle = (crypto as Partial<Crypto>).subtle;
  if (!subtle) return undefined;
  const named = Uint8Array.from([...LINE_NAMESPACE, ...new TextEncoder().encode(line)]);
  const digest = new Uint8Array(await subtle.digest('SHA-1', named)).slice(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
