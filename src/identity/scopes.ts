/** What a key may be allowed to do. `write` includes `read`; `*` is everything, also what comes later. */
import type { Scope } from '../http/access.ts';

export const SCOPES = [
  'batch_export:read',
  'batch_export:write',
  'event:read',
  'event:write',
  'feature_flag:read',
  'group:read',
  'ingestion_warning:read',
  'integration:read',
  'integration:write',
  'person:read',
  'person:write',
  'project:write',
] as const satisfies readonly Scope[];
export const ALL_SCOPES = '*';

/** Whether a text is one that a key may carry. */
export function isScope(text: string): boolean {
  return text === ALL_SCOPES || (SCOPES as readonly string[]).includes(text);
}

/** Whether a key that carries `granted` may do what needs `wanted`. */
export function allows(granted: readonly string[], wanted: Scope): boolean {
  const writing = wanted.replace(/:read$/, ':write');
  return granted.some((scope) => scope === ALL_SCOPES || scope === wanted || scope === writing);
}
