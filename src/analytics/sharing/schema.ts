/** Sharing on the wire. */
import { LEVELS } from '../../platform/http/access.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { ShareSettings } from './settings.ts';

const Instant = Type.String({ format: 'date-time' });

const PasswordBody = Type.Object({
  id: Type.Integer(),
  created_at: Instant,
  note: nullable(Type.String()),
  created_by_email: nullable(Type.String()),
  is_active: Type.Boolean(),
});

export const SharingBody = Type.Object(
  {
    created_at: Instant,
    enabled: Type.Boolean(),
    access_token: Type.String({
      description: 'The token of the public link; the page is at `/shared/<access_token>`.',
    }),
    settings: nullable(ShareSettings),
    password_required: Type.Boolean(),
    expires_at: nullable(Instant, {
      description: 'When the link stops working; null: never. A link that is expired is still `enabled`.',
    }),
    share_passwords: Type.Array(PasswordBody, {
      description: 'The passwords of the public link; each of them grants access.',
    }),
    user_access_level: stringEnum(LEVELS),
  },
  { title: 'SharingConfiguration' },
);
export type SharingBody = Static<typeof SharingBody>;

export const ChangedSharingBody = Type.Object(
  {
    enabled: Type.Optional(Type.Boolean()),
    settings: Type.Optional(
      Type.Unknown({ description: 'Settings of the shared page, replaced as a whole; unknown fields are ignored.' }),
    ),
    password_required: Type.Optional(Type.Boolean()),
    expires_at: Type.Optional(
      nullable(Type.String(), {
        description:
          'When the link stops working: an ISO 8601 datetime in the future. Null: never. It stays if omitted.',
      }),
    ),
  },
  { title: 'ChangedSharing' },
);
export type ChangedSharing = Static<typeof ChangedSharingBody>;

export const NewPasswordBody = Type.Object(
  {
    raw_password: Type.Optional(
      nullable(
        Type.String({ maxLength: 1000, description: 'A password of at least 8 characters; generated if omitted.' }),
      ),
    ),
    note: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
  },
  { title: 'NewSharePassword' },
);
export type NewPassword = Static<typeof NewPasswordBody>;

export const MadePasswordBody = Type.Object(
  {
    id: Type.Integer(),
    password: Type.String({ description: 'The password, which is returned only once.' }),
    note: nullable(Type.String()),
    created_at: Instant,
    created_by_email: nullable(Type.String()),
  },
  { title: 'SharePassword' },
);
export type MadePassword = Static<typeof MadePasswordBody>;
