/** Checks the recipients of an export's notices when they are saved, and encrypts the webhook's secret. */
import { InvalidInput } from '../../platform/errors.ts';
import { NOTICE_KINDS, type Notifications, type NotificationsIn } from '../../platform/notify/notice.ts';
import { checkWebhookSecret, checkWebhookUrl } from '../../platform/notify/webhook.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { ConfigEncryption } from '../integrations/config-encryption.ts';

/** Purpose that the encrypted secret is bound to, besides its row. */
export const NOTIFICATION_SECRET = 'webhook';

type Row = Pick<BatchExport, 'id' | 'projectId' | 'notifications' | 'notificationSecret'>;
type Columns = Pick<BatchExport, 'notifications' | 'notificationSecret'>;
type Rules = Parameters<typeof checkWebhookUrl>[1];

const NO_RECIPIENTS: Notifications = { webhook: null, emails: [], on: [...NOTICE_KINDS] };

export type NotificationSettings = {
  /**
   * @param input omitted fields keep the row's values; null ends the notices
   * @throws InvalidInput naming the field
   */
  columns(row: Row, input: NotificationsIn | null): Promise<Columns>;
};

/** @param sendsMail whether this installation has a mail server */
export function notificationSettings(
  configs: ConfigEncryption,
  rules: Rules,
  sendsMail: boolean,
): NotificationSettings {
  function secretOf(row: Row, input: string | undefined): string {
    if (input === undefined && row.notificationSecret !== null) return row.notificationSecret;
    if (input === undefined)
      throw new InvalidInput('This field is required.', fieldName('webhook__secret'), 'required');
    checkWebhookSecret(input);
    return configs.encryptSecret(row, NOTIFICATION_SECRET, input);
  }

  return {
    async columns(row, input) {
      if (input === null) return { notifications: null, notificationSecret: null };
      const { webhook, ...rest } = input;
      const notifications = { ...NO_RECIPIENTS, ...row.notifications, ...rest };
      if (notifications.emails.length > 0 && !sendsMail)
        throw new InvalidInput(
          'This installation sends no mail: its operator has not set SMTP_URL.',
          fieldName('emails'),
        );
      if (webhook === undefined) return { notifications, notificationSecret: row.notificationSecret };
      if (webhook === null) return { notifications: { ...notifications, webhook }, notificationSecret: null };
      const { url, secret } = webhook;
      await checkWebhookUrl(url, rules);
      return { notifications: { ...notifications, webhook: { url } }, notificationSecret: secretOf(row, secret) };
    },
  };
}

const fieldName = (field: string) => `notifications__${field}`;
