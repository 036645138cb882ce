/** Secret payloads: encrypted at rest, masked in answers, and decrypted only for `remote_config`. */
import { InvalidInput } from '../../platform/errors.ts';
import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import type { SecretColumn } from '../../platform/secrets/stored-secrets.ts';
import type { FeatureFlag, FlagFields } from './feature-flags.store.ts';
import { variantsOf } from './filters.ts';
import { MASK } from './payloads.ts';

type Row = Pick<FeatureFlag, 'id' | 'projectId'>;

/** Returns the ciphertext to store. */
export type EncryptPayload = (flag: Row, payload: string) => string;

/** Encryption for callers that never have encrypted payloads. */
export const refuseToEncrypt: EncryptPayload = () => {
  throw new Error('A payload was to be encrypted without a key.');
};

/** Binds a ciphertext to its flag's row, so it cannot be decrypted if it is copied to another row. */
const contextOf = ({ id, projectId }: Row) => `feature_flags/${projectId}/${id}`;

export function payloadEncryption(keyRing: KeyRing) {
  const encrypt: EncryptPayload = (flag, payload) => keyRing.encrypt(payload, contextOf(flag));
  return {
    encrypt,
    /** @returns the payload as JSON text; null if there is none. @throws Error if the key ring lacks the key */
    decrypt(flag: Row & Pick<FeatureFlag, 'encryptedPayloads'>): string | null {
      return flag.encryptedPayloads === null ? null : keyRing.decrypt(flag.encryptedPayloads, contextOf(flag));
    },
  };
}

export type PayloadEncryption = ReturnType<typeof payloadEncryption>;

/**
 * Takes the payload out of the filters of a flag with encrypted payloads.
 * @param newFields the flag with the new payload, or with the mask to keep the current one
 * @param current the stored flag
 * @returns the flag to store, and as `secret` the new payload, if any, which must be encrypted first
 * @throws InvalidInput for a flag with variants, because only the payload of `true` can be encrypted
 */
export function extractSecretPayload(newFields: FlagFields, current?: FlagFields): FlagFields & { secret?: string } {
  const payload = newFields.filters.payloads?.['true'];
  if (payload === MASK && !newFields.hasEncryptedPayloads) {
    throw new InvalidInput(
      'Send the payload again, because the mask stands for a secret that cannot become public.',
      'filters__payloads__true',
    );
  }
  if (!newFields.hasEncryptedPayloads) return { ...newFields, encryptedPayloads: null };
  if (variantsOf(newFields.filters).length > 0) {
    throw new InvalidInput('The payloads of variants cannot be encrypted.', 'has_encrypted_payloads');
  }
  const { payloads: _, ...filters } = newFields.filters;
  if (payload === undefined || payload === MASK) {
    return { ...newFields, filters, encryptedPayloads: current?.encryptedPayloads ?? null };
  }
  return { ...newFields, filters, secret: payload };
}

/** The column that the key ring must open. */
export function payloadColumn(encryption: PayloadEncryption): SecretColumn {
  return {
    name: 'feature_flags.sealed_payloads',
    query: `select id, project_id, sealed_payloads as envelope from feature_flags
      where sealed_payloads is not null and not deleted`,
    open: ({ id, projectId, envelope }) =>
      encryption.decrypt({ id: Number(id), projectId, encryptedPayloads: envelope }),
  };
}
