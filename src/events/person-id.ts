/** The id that the person of a distinct id gets when its first event is stored, known without asking anyone. */
import { hash } from 'node:crypto';

/** Namespace of our version 5 uuids; any constant does, and it never changes. */
const NAMESPACE = Buffer.from('1f0b54a6d3d34d2c9b0c5a3c1e6f7a20', 'hex');

/** @returns uuid v5 (RFC 9562) of `<project id>:<distinct id>`, as its 16 bytes */
export function personId(projectId: number, distinctId: string): Buffer {
  const name = Buffer.from(`${projectId}:${distinctId}`);
  const digest = hash('sha1', Buffer.concat([NAMESPACE, name]), 'buffer');
  digest[6] = (digest[6]! & 0x0f) | 0x50;
  digest[8] = (digest[8]! & 0x3f) | 0x80;
  return digest.subarray(0, 16);
}
