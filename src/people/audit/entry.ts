/** An entry of the audit log. */
import { stringEnum, Type, type Static } from '../../platform/schema.ts';

export const VERBS = [
  'created',
  'updated',
  'deleted',
  'restored',
  'logged_in',
  'logged_out',
  // Changes of sharing with strangers; the spellings are upstream's.
  'sharing enabled',
  'sharing disabled',
  'access token refreshed',
  'share_login_success',
  'share_login_failed',
] as const;
export type AuditVerb = (typeof VERBS)[number];

export const ChangeBody = Type.Object({
  type: Type.String({ description: 'The kind of object.' }),
  action: stringEnum(['created', 'changed', 'deleted'] as const, {
    description: 'Whether the field was created, changed or deleted.',
  }),
  field: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
});
export type Change = Static<typeof ChangeBody>;

export type AuditLogEntry = {
  id: string;
  organizationId: string;
  projectId: number | null;
  scope: string;
  itemId: string;
  activity: AuditVerb;
  /** Older entries have no type. */
  detail: { name: string; type?: string | null; version: number | null; changes: Change[] };
  /** Null if a key of the project was the author, or the user no longer exists. */
  userId: number | null;
  createdAt: string;
};
