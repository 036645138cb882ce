/** Presents users inside of other objects. */
import { stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { User, Users } from './users.store.ts';

/** Upstream's list of roles at work; empty for none. */
export const WorkRole = stringEnum(
  ['', 'engineering', 'data', 'product', 'founder', 'leadership', 'marketing', 'sales', 'other'],
  { default: '' },
);

export const UserBody = Type.Object(
  {
    id: Type.Integer(),
    uuid: Type.String({ format: 'uuid' }),
    distinct_id: Type.String(),
    first_name: Type.String(),
    last_name: Type.String(),
    email: Type.String(),
    is_email_verified: Type.Boolean(),
    hedgehog_config: Type.Record(Type.String(), Type.Unknown()),
    role_at_organization: Type.String(),
  },
  { title: 'User' },
);
export type UserBody = Static<typeof UserBody>;

export function presentUser(user: User): UserBody {
  return {
    id: user.id,
    uuid: user.uuid,
    distinct_id: user.distinctId,
    first_name: user.firstName,
    last_name: user.lastName,
    email: user.email,
    is_email_verified: user.isEmailVerified,
    hedgehog_config: hedgehogOf(user.hedgehogConfig),
    role_at_organization: user.roleAtOrganization,
  };
}

/** Four settings of the user's picture, or `{}` without one. Newer pictures have three of the settings in `actor_options`. */
function hedgehogOf(config: User['hedgehogConfig']): User['hedgehogConfig'] {
  if (Object.keys(config).length === 0) return {};
  const look: User['hedgehogConfig'] = { ...config, ...(config['actor_options'] as object | null | undefined) };
  const names = ['color', 'accessories', 'skin'];
  return {
    use_as_profile: config['use_as_profile'] ?? null,
    ...Object.fromEntries(names.map((name) => [name, look[name] ?? null])),
  };
}

/** @returns null if a project's key was the author, or the user no longer exists */
export function userOf(users: Users, id: number | null): UserBody | null {
  const user = id === null ? undefined : users.get(id);
  return user ? presentUser(user) : null;
}

/** Masks an address (`m****@example.com`), so people who have a link recognize their own address. */
export function maskEmail(email: string): string {
  return email.replace(/^(.).*(?=@)/, '$1****');
}
