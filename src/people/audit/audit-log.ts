/** Builds and presents entries of the audit log. */
import { isDeepStrictEqual } from 'node:util';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { AuditLogEntry } from './entry.ts';
import { UserBody, userOf } from '../accounts/users.ts';
import type { Users, UserStore } from '../accounts/users.store.ts';
import { type Change, VERBS, ChangeBody } from './entry.ts';

/** Author of a change: a user, possibly with a personal key, or a project's key. Automatic changes have neither id. A `Caller` is an author. */
export type Author = { userId: number | null; keyId: string | null };

/**
 * Compares two states of an object, field by field in the order of `after`.
 * @param type the kind of object, the same as the entry's `scope`
 * @param before the earlier state, with the field names of the wire
 */
export function changesBetween(
  type: string,
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): Change[] {
  const fields = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...fields].flatMap((field) => {
    const [was, is] = [before[field] ?? null, after[field] ?? null];
    if (isDeepStrictEqual(was, is)) return [];
    const action = was === null ? 'created' : is === null ? 'deleted' : 'changed';
    return [{ type, action, field, before: was, after: is }];
  });
}

export const ActivityBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    team_id: nullable(Type.Integer(), { description: 'The ID of the project; null for changes to an organization.' }),
    organization_id: Type.String({ format: 'uuid' }),
    user: nullable(UserBody, {
      description: 'The user who made the change; null for a key of the project or a deleted user.',
    }),
    was_impersonated: Type.Boolean(),
    scope: Type.String({ description: 'The kind of object.' }),
    item_id: Type.String(),
    activity: stringEnum(VERBS),
    detail: Type.Object({
      name: Type.String(),
      short_id: Type.Null(),
      type: nullable(Type.String(), {
        description: 'The type of the object, for kinds that have one: `dashboard`; null otherwise.',
      }),
      version: nullable(Type.Integer(), {
        description: 'The version of the object after the change; null if it has no versions.',
      }),
      changes: Type.Array(ChangeBody),
    }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Activity' },
);

/** Presents a page of entries with the users who made them. */
export async function presentAuditLog(
  { count, results }: { count: number; results: readonly AuditLogEntry[] },
  users: Pick<UserStore, 'findByIds'>,
) {
  const authors = await users.findByIds(results.map(({ userId }) => userId));
  return { count, results: results.map((entry) => presentEntry(entry, authors)) };
}

function presentEntry(entry: AuditLogEntry, users: Users): Static<typeof ActivityBody> {
  const { name, type = null, version, changes } = entry.detail;
  return {
    id: entry.id,
    team_id: entry.projectId,
    organization_id: entry.organizationId,
    user: userOf(users, entry.userId),
    was_impersonated: false,
    scope: entry.scope,
    item_id: entry.itemId,
    activity: entry.activity,
    detail: { name, short_id: null, type, version, changes },
    created_at: entry.createdAt,
  };
}
