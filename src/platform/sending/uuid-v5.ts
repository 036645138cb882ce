import { hash } from 'node:crypto';

/**
 * The uuid that a name has inside a namespace (RFC 9562, version 5): the same today, tomorrow and on every machine.
 * @param namespace a uuid
 * @param name hashed as it is when bytes, as UTF-8 when text
 */
export function uuidV5(namespace: string, name: string | Uint8Array): string {
  const prefix = Buffer.from(namespace.replaceAll('-', ''), 'hex');
  const digest = hash('sha1', Buffer.concat([prefix, Buffer.from(name)]), 'buffer').subarray(0, 16);
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
