/** Scopes of keys. `write` includes `read`; `*` means all scopes, including future ones. */
import type { Scope } from '../../platform/http/access.ts';

export const SCOPES = [
  'access_control:read',
  'access_control:write',
  'activity_log:read',
  'batch_export:read',
  'batch_export:write',
  'cohort:read',
  'cohort:write',
  'dashboard:read',
  'dashboard:write',
  'early_access_feature:read',
  'early_access_feature:write',
  'event:read',
  'event:write',
  'experiment:read',
  'experiment:write',
  'feature_flag:read',
  'feature_flag:write',
  'group:read',
  'group:write',
  'ingestion_warning:read',
  'insight:read',
  'insight:write',
  'integration:read',
  'integration:write',
  'organization:read',
  'organization:write',
  'organization_member:read',
  'organization_member:write',
  'person:read',
  'person:write',
  'project:read',
  'project:write',
  'query:read',
  'sharing_configuration:read',
  'sharing_configuration:write',
  'survey:read',
  'survey:write',
  'user:read',
  'user:write',
] as const satisfies readonly Scope[];
export const ALL_SCOPES = '*';

/** Whether a key may have this scope. */
export function isScope(text: string): boolean {
  return text === ALL_SCOPES || (SCOPES as readonly string[]).includes(text);
}

/** Whether the granted scopes include the required one. */
export function allows(grantedScopes: readonly string[], required: Scope): boolean {
  const writeScope = required.replace(/:read$/, ':write');
  return grantedScopes.some((scope) => scope === ALL_SCOPES || scope === required || scope === writeScope);
}
