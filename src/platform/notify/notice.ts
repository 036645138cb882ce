/** Notices to people and their programs, and where they go. */
import { stringEnum, nullable, Type, type Static } from '../schema.ts';

/** Kinds of notices about a batch export. */
export const NOTICE_KINDS = [
  'failed',
  'recovered',
  'paused',
  'behind_schedule',
  'gave_up',
  'stale',
  'overlapping',
  'schedule_changed',
  'keeping_files',
  'source_expiring',
] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

/** One thing to tell: `summary` in a sentence, `details` for programs (JSON). Neither names a secret or a host. */
export type Notice = { kind: NoticeKind; summary: string; details: Record<string, unknown> };

/** Limit of recipients; more are for a mailing list. */
const MAX_EMAILS = 10;

const url = Type.String({
  minLength: 1,
  maxLength: 2_000,
  description: 'An https URL of a public host; http is accepted only for hosts that the operator allows.',
});
const kinds = Type.Array(stringEnum(NOTICE_KINDS), {
  description: 'The kinds of notifications to send; all kinds by default.',
});
const address = Type.String({
  maxLength: 254,
  pattern: '^[^\\s@<>,;"]+@[^\\s@<>,;"]+$',
  description: 'An email address without a name, such as data@example.com.',
});
const emails = Type.Array(address, {
  maxItems: MAX_EMAILS,
  description: 'The addresses to notify; at most one email per day and export.',
});

/** Notification settings from a client; absent fields keep their values. */
export const NotificationsIn = Type.Object(
  {
    webhook: Type.Optional(
      nullable(
        Type.Object({
          url,
          secret: Type.Optional(
            Type.String({
              writeOnly: true,
              pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
              description:
                '`whsec_` followed by the base64 of 24 to 64 bytes: the key that signs the webhook’s requests.',
            }),
          ),
        }),
      ),
    ),
    emails: Type.Optional(emails),
    on: Type.Optional(kinds),
  },
  { title: 'NotificationsIn' },
);

/** Notifications as they are stored in the open, and answered. */
export const Notifications = Type.Object(
  { webhook: nullable(Type.Object({ url })), emails, on: kinds },
  { title: 'Notifications' },
);

export type NotificationsIn = Static<typeof NotificationsIn>;
export type Notifications = Static<typeof Notifications>;
