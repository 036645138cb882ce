/** Checks of what a route requires of sessions, and of API keys used instead of one. */
import { PermissionDenied } from '../errors.ts';
import type { Caller, LoginAccess } from './access.ts';

/** Age up to which a session may do sensitive things without the password. */
export const RECENT_MS = 2 * 3_600_000;

/** @throws PermissionDenied for a key where a session is required, and for an old session where a recent one is required */
export function ensureLogin({ session, projectId }: Caller, { sessionOnly, sensitive }: LoginAccess): void {
  if (sessionOnly && !session) {
    const kind = projectId === null ? 'personal' : 'project secret';
    throw new PermissionDenied(`This action does not support ${kind} API key access`);
  }
  if (sensitive && session && Date.now() - session.authenticatedAt.getTime() > RECENT_MS) {
    throw new PermissionDenied(
      'This action requires you to be recently authenticated.',
      'sensitive_action_required_reauth',
    );
  }
}
