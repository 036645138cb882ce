/** Keys in requests and answers. */
import { InvalidInput } from '../../platform/errors.ts';
import { readDatetime } from '../../platform/http/parameters/datetime.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import { maskOf } from './keys.ts';
import type { ApiKey, IssuedKey, KeyChanges, NewKey } from './keys.store.ts';
import { isScope } from '../access/scopes.ts';

const MAX_GRACE_SECONDS = 7 * 24 * 3600;
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

export const Label = Type.String({ minLength: 1, maxLength: 40, description: 'A short name for the key.' });
export const Scopes = Type.Array(Type.String(), {
  maxItems: 200,
  description: 'The scopes of the key, as `<object>:<read|write>`, or `*` for all.',
});
const When = nullable(Type.String({ format: 'date-time' }));

/** Fields in requests about any key, except its label and scopes. */
export const keyOptions = {
  description: Type.Optional(nullable(Type.String({ maxLength: 1000 }))),
  expires_at: Type.Optional(
    nullable(Type.String({ description: 'The time when the key expires; null if it does not expire.' })),
  ),
};

/** Fields of requests about a personal key. */
export const keyLimits = {
  scoped_teams: Type.Array(Type.Integer(), {
    maxItems: 100,
    description: 'The IDs of the projects that the key can access; empty for all.',
  }),
  scoped_organizations: Type.Array(Type.String(), {
    maxItems: 100,
    description: 'The IDs of the organizations that the key can access; empty for all.',
  }),
};

/** Fields of answers about any key. */
export const keyFields = {
  id: Type.String({ format: 'uuid' }),
  label: Type.String(),
  description: nullable(Type.String()),
  value: nullable(Type.String(), { description: 'The key; null except when it was just created or rolled.' }),
  mask_value: Type.String({ description: 'The first and last characters of the key.' }),
  created_at: Type.String({ format: 'date-time' }),
  last_used_at: When,
  last_rolled_at: When,
  expires_at: When,
  scopes: Scopes,
};

const KeyFields = Type.Object(keyFields);

export function presentKey(key: ApiKey | IssuedKey): Static<typeof KeyFields> {
  return {
    id: key.id,
    label: key.label,
    description: key.description === '' ? null : key.description,
    value: 'key' in key ? key.key : null,
    mask_value: maskOf(key),
    created_at: key.createdAt,
    last_used_at: key.lastUsedAt,
    last_rolled_at: key.lastRolledAt,
    expires_at: key.expiresAt,
    scopes: [...key.scopes],
  };
}

export const RollBody = Type.Object({
  grace_seconds: Type.Integer({
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    default: 0,
    description: 'The number of seconds that the old key remains valid; 0 to revoke it immediately.',
  }),
});

export type GivenSettings = {
  label?: string;
  description?: string | null;
  scopes?: string[];
  scoped_teams?: number[];
  scoped_organizations?: string[];
  expires_at?: string | null;
};

export type NewGivenSettings = GivenSettings & { label: string; scopes: string[] };

/**
 * Converts the fields of a request; omitted ones are undefined.
 * @throws InvalidInput naming the first invalid field
 */
export function settingsOf(body: GivenSettings): KeyChanges {
  return {
    label: body.label,
    description: body.description === null ? '' : body.description,
    scopes: body.scopes && checkScopes(body.scopes),
    onlyProjects: body.scoped_teams && emptyToNull(body.scoped_teams),
    onlyOrganizations: body.scoped_organizations && emptyToNull(body.scoped_organizations.map(checkOrganizationId)),
    expiresAt: typeof body.expires_at === 'string' ? futureInstant(body.expires_at) : body.expires_at,
  };
}

/** Same as `settingsOf`, for a new key. */
export function newSettingsOf(body: NewGivenSettings): NewKey {
  return { ...settingsOf(body), label: body.label, scopes: checkScopes(body.scopes) };
}

function checkScopes(scopes: readonly string[]): string[] {
  if (scopes.length === 0) throw new InvalidInput('This list may not be empty.', 'scopes', 'empty');
  const unknown = scopes.find((scope) => !isScope(scope));
  if (unknown !== undefined) throw new InvalidInput(`Invalid scope: ${unknown.slice(0, 100)}`, 'scopes');
  return [...new Set(scopes)];
}

function checkOrganizationId(id: string): string {
  if (!UUID.test(id)) throw new InvalidInput('Invalid organization UUID', 'scoped_organizations');
  return id.toLowerCase();
}

function emptyToNull<T>(all: readonly T[]): readonly T[] | null {
  return all.length === 0 ? null : [...new Set(all)];
}

function futureInstant(text: string): string {
  const moment = readDatetime(text, 'expires_at');
  if (Date.parse(moment) > Date.now()) return moment;
  throw new InvalidInput('Give a moment that is still to come.', 'expires_at');
}
