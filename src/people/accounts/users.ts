/** Users as the contract embeds them in other objects. */
import { stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { User, Users } from './users.store.ts';

/** Roles at work: upstream's list, and none. */
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

/** Four things of somebody's picture, and `{}` for none. Its second version has three of them one level deeper. */
function hedgehogOf(config: User['hedgehogConfig']): User['hedgehogConfig'] {
  if (Object.keys(config).length === 0) return {};
  const look: User['hedgehogConfig'] = { ...config, ...(config['actor_options'] as object | null | undefined) };
  const names = ['color', 'accessories', 'skin'];
  return {
    use_as_profile: config['use_as_profile'] ?? null,
    ...Object.fromEntries(names.map((name) => [name, look[name] ?? null])),
  };
}

/** @returns null for nobody (a project's key did it) and for who is gone */
export function userOf(users: Users, id: number | null): UserBody | null {
  const user = id === null ? undefined : users.get(id);
  return user ? presentUser(user) : null;
}

/** `m****@example.com`: people who have a link see whether it is theirs. */
export function maskedEmail(email: string): string {
  return email.replace(/^(.).*(?=@)/, '$1****');
}
