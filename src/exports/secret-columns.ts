/** Columns of exports and integrations that the key ring must open. */
import type { SecretColumn, StoredSecret } from '../platform/secrets/stored-secrets.ts';
import { HASH_KEY } from './batch-exports/content.ts';
import type { ConfigEncryption } from './integrations/config-encryption.ts';
import { PLACE_SECRETS } from './integrations/pinned-destination.ts';
import { NOTIFICATION_SECRET } from './monitoring/notifications.ts';

export function exportSecretColumns(configs: ConfigEncryption): SecretColumn[] {
  const withPurpose = (purpose: string) => (row: StoredSecret) => configs.decryptSecret(row, purpose, row.envelope);
  return [
    ofExports('destination_secrets', ({ envelope, ...row }) =>
      configs.decrypt({ ...row, destinationConfig: {}, destinationSecrets: envelope, integration: null }),
    ),
    ofExports('hash_key', withPurpose(HASH_KEY)),
    ofExports('notification_secret', withPurpose(NOTIFICATION_SECRET)),
    {
      name: 'batch_export_places.secrets',
      query: `select batch_exports.id, project_id, secrets as envelope from batch_export_places
        join batch_exports on batch_exports.id = batch_export_id where secrets is not null`,
      open: withPurpose(PLACE_SECRETS),
    },
    {
      name: 'integrations.secrets',
      query: 'select id, project_id, secrets as envelope from integrations where secrets is not null',
      open: ({ id, projectId, envelope }) =>
        configs.decryptIntegration({ id: Number(id), projectId, config: {}, secrets: envelope }),
    },
  ];
}

function ofExports(column: string, open: SecretColumn['open']): SecretColumn {
  return {
    name: `batch_exports.${column}`,
    query: `select id, project_id, ${column} as envelope from batch_exports where ${column} is not null and deleted_at is null`,
    open,
  };
}
