/**
 * Encrypts credentials at rest: AES-256-GCM under a ring of keys. The newest key encrypts new values; the key that an envelope names
 * decrypts it. So operators rotate a key by putting a new key in front and later dropping the old one.
 *
 * Every value is bound to its row: the caller's additional data (table, project, object id) is authenticated with it. So a ciphertext that
 * is copied to another tenant's row cannot be decrypted there.
 */
import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { CommandFailed, SecretLost } from '../errors.ts';

const VERSION = 'v1';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const MAC_BYTES = 32;
const KEY_ID = /^[A-Za-z0-9_-]{1,32}$/;

export type KeyRing = {
  /** @returns an envelope `v1.<key id>.<base64url of nonce, ciphertext, tag>`, plain ASCII */
  encrypt(value: string, additionalData: string): string;
  /** @throws SecretLost; Error when the envelope was changed, belongs to another row, or names a key that the ring does not have */
  decrypt(envelope: string, additionalData: string): string;
  /**
   * HMAC-SHA256 under a key derived from the newest one for this purpose alone.
   * @returns `<key id>.<base64url>`: the same for the same text and purpose until the ring gets a newer key
   */
  sign(text: string, purpose: string): string;
  /** Whether the signature is of the text, by a key that the ring still has. */
  hasSigned(text: string, purpose: string, signature: string): boolean;
  /** Whether the ring has a key of this id, or says that it is lost. */
  statusOf(id: string): 'held' | 'lost' | 'missing';
};

/**
 * @param text `id:base64 of 32 bytes`, comma-separated, the newest key first (SLUICE_ENCRYPTION_KEYS); `id:lost` for a key that nobody has
 * @throws CommandFailed saying which entry is wrong, without its key
 */
export function createKeyRing(text: string): KeyRing {
  const { keys, lost } = parse(text);
  const newest = keys.entries().next().value;
  if (!newest) throw new CommandFailed('SLUICE_ENCRYPTION_KEYS holds no key. Make one with: openssl rand -base64 32');
  const [newestId, newestKey] = newest;

  return {
    encrypt(value, additionalData) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', newestKey, nonce).setAAD(Buffer.from(additionalData));
      const parts = [nonce, cipher.update(value, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return `${VERSION}.${newestId}.${Buffer.concat(parts).toString('base64url')}`;
    },

    decrypt(envelope, additionalData) {
      const [version, id = '', body = ''] = envelope.split('.');
      if (version !== VERSION) throw new Error('An encrypted value has an unknown form.');
      const key = keys.get(id);
      if (lost.has(id)) throw new SecretLost();
      if (!key)
        throw new Error(`An encrypted value needs the key "${id}", which SLUICE_ENCRYPTION_KEYS does not hold.`);
      const bytes = Buffer.from(body, 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) throw new Error('An encrypted value is cut short.');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(additionalData))
        .setAuthTag(bytes.subarray(-TAG_BYTES));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()]).toString();
    },

    sign: (text, purpose) => `${newestId}.${mac(newestKey, text, purpose).toString('base64url')}`,

    hasSigned(text, purpose, signature) {
      const [id = '', encoded = ''] = signature.split('.');
      const key = keys.get(id);
      const presented = Buffer.from(encoded, 'base64url');
      // tooth: key-ring-signature
      return key !== undefined && presented.length === MAC_BYTES && timingSafeEqual(presented, mac(key, text, purpose));
    },

    statusOf: (id) => (keys.has(id) ? 'held' : lost.has(id) ? 'lost' : 'missing'),
  };
}

function mac(key: Buffer, text: string, purpose: string): Buffer {
  const derived = Buffer.from(hkdfSync('sha256', key, '', purpose, KEY_BYTES));
  return createHmac('sha256', derived).update(text).digest();
}

/** @returns a ring of one new random key, in the form that `createKeyRing` reads */
export function generateKeyRing(): string {
  return `k1:${randomBytes(KEY_BYTES).toString('base64')}`;
}

/** Takes the place of a lost key. */
const LOST = 'lost';

function parse(text: string): { keys: Map<string, Buffer>; lost: Set<string> } {
  const keys = new Map<string, Buffer>();
  const lost = new Set<string>();
  for (const [index, entry] of text.split(',').entries()) {
    const [id = '', encoded = ''] = entry.trim().split(/:(.*)/s);
    const key = Buffer.from(encoded, 'base64');
    // An entry without a colon is a key: its text must not be shown as an id.
    const problem =
      !KEY_ID.test(id) || !entry.includes(':')
        ? 'has no id (`id:base64`)'
        : keys.has(id) || lost.has(id)
          ? `repeats the id "${id}"`
          : key.length !== KEY_BYTES && encoded !== LOST
            ? `("${id}") is not ${KEY_BYTES} bytes of base64`
            : undefined;
    if (problem) throw new CommandFailed(`SLUICE_ENCRYPTION_KEYS: entry ${index + 1} ${problem}.`);
    if (encoded === LOST) lost.add(id);
    else keys.set(id, key);
  }
  return { keys, lost };
}
