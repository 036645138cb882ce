/** Payloads that are secret: encrypted at rest, shown masked, decrypted for `remote_config` alone. */
import { InvalidInput } from '../../platform/errors.ts';
import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import type { FeatureFlag, FlagFields } from './feature-flags.store.ts';
import { variantsOf } from './filters.ts';
import { MASK } from './payloads.ts';

type Row = Pick<FeatureFlag, 'id' | 'projectId'>;

/** @returns the payload as it is stored */
export type EncryptPayload = (flag: Row, payload: string) => string;

/** For flag management without secrets. */
export const refuseToEncrypt: EncryptPayload = () => {
  throw new Error('A payload was to be encrypted without a key.');
};

/** A ciphertext that is copied to another flag's row does not open there. */
const boundTo = ({ id, projectId }: Row) => `feature_flags/${projectId}/${id}`;

export function payloadEncryption(keyRing: KeyRing) {
  const encrypt: EncryptPayload = (flag, payload) => keyRing.encrypt(payload, boundTo(flag));
  return {
    encrypt,
    /** @returns JSON as text; null when there is none. @throws Error when the key ring does not hold the key */
    decrypt(flag: Row & Pick<FeatureFlag, 'encryptedPayloads'>): string | null {
      return flag.encryptedPayloads === null ? null : keyRing.decrypt(flag.encryptedPayloads, boundTo(flag));
    },
  };
}

export type PayloadEncryption = ReturnType<typeof payloadEncryption>;

/**
 * Takes the payload out of the filters of a flag that encrypts it.
 * @param wanted the flag, with the new payload, or the mask to keep the present one
 * @param current the stored flag
 * @returns the flag as it is to be stored, and the new payload to encrypt first, if there is one
 * @throws InvalidInput when it has variants: only the payload of `true` is encrypted
 */
export function encryptedFields(wanted: FlagFields, current?: FlagFields): FlagFields & { secret?: string } {
  const payload = wanted.filters.payloads?.['true'];
  if (payload === MASK && !wanted.hasEncryptedPayloads) {
    throw new InvalidInput('Say the payload again: it is not shown, but masked.', 'filters__payloads__true');
  }
  if (!wanted.hasEncryptedPayloads) return { ...wanted, encryptedPayloads: null };
  if (variantsOf(wanted.filters).length > 0) {
    throw new InvalidInput('The payloads of variants cannot be encrypted.', 'has_encrypted_payloads');
  }
  const { payloads: _, ...filters } = wanted.filters;
  if (payload === undefined || payload === MASK) {
    return { ...wanted, filters, encryptedPayloads: current?.encryptedPayloads ?? null };
  }
  return { ...wanted, filters, secret: payload };
}
