/**
 * Generates and recognizes keys: `<prefix>_<43 characters of 32 random bytes><6 characters of CRC-32>`, base62. By the checksum, a
 * program knows without a database that a key is mistyped, or that a text in a leaked file is a key. Only SHA-256 digests of keys are stored,
 * which suffices for 256 random bits.
 */
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Prefixes of keys by kind. Those of projects, `phc`, are public; the others are secret. */
export const KEY_PREFIXES = { project: 'phc', personal: 'phx', projectSecret: 'phs' } as const;
export type KeyPrefix = (typeof KEY_PREFIXES)[keyof typeof KEY_PREFIXES];

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const SECRET_CHARACTERS = 43;
const CHECKSUM_CHARACTERS = 6;
const SECRET_KEY = /^(ph[xs]_[0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

export function generateKey(prefix: KeyPrefix): string {
  const secret = BigInt(`0x${randomBytes(32).toString('hex')}`);
  const key = `${prefix}_${base62(secret, SECRET_CHARACTERS)}`;
  return key + checksum(key);
}

/** Whether the text has the form and checksum of a secret key. */
export function isSecretKey(text: string): boolean {
  const [, key, sum] = SECRET_KEY.exec(text) ?? [];
  return key !== undefined && sum === checksum(key);
}

/** @returns the hash of a key, under which it is stored */
export function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

/** @returns a key's prefix and last characters, by which people recognize it */
export function maskOf({ userId, last4 }: { userId: number | null; last4: string }): string {
  return `${userId === null ? KEY_PREFIXES.projectSecret : KEY_PREFIXES.personal}_...${last4}`;
}

function checksum(key: string): string {
  return base62(BigInt(crc32(key)), CHECKSUM_CHARACTERS);
}

function base62(value: bigint, characters: number): string {
  let text = '';
  for (let remaining = value; remaining > 0n; remaining /= 62n) text = ALPHABET[Number(remaining % 62n)] + text;
  return text.padStart(characters, '0');
}
