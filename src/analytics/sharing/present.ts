/** Sharing configurations as clients see them. */
import type { Rights } from '../../platform/http/access.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import type { SharingConfiguration } from './configurations.store.ts';
import type { SharePassword } from './passwords.store.ts';
import type { MadePassword, SharingBody } from './schema.ts';

type View = { rights: Pick<Rights, 'levelOf'>; users: Users; passwords: readonly SharePassword[] };

export function presentSharing(configuration: SharingConfiguration, { rights, users, passwords }: View): SharingBody {
  return {
    created_at: configuration.createdAt,
    enabled: configuration.enabled,
    access_token: configuration.accessToken,
    settings: configuration.settings,
    password_required: configuration.passwordRequired,
    expires_at: configuration.expiresAt,
    share_passwords: passwords.map(({ id, createdAt, note, createdBy }) => {
      return { id, created_at: createdAt, note, created_by_email: emailOf(users, createdBy), is_active: true };
    }),
    user_access_level: rights.levelOf('sharing_configuration'),
  };
}

export function presentMadePassword(made: SharePassword, password: string, users: Users): MadePassword {
  const { id, note, createdAt, createdBy } = made;
  return { id, password, note, created_at: createdAt, created_by_email: emailOf(users, createdBy) };
}

function emailOf(users: Users, id: number | null): string | null {
  return (id === null ? undefined : users.get(id)?.email) ?? null;
}
