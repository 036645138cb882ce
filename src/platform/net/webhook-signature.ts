/**
 * Signatures as Standard Webhooks has them (https://www.standardwebhooks.com): `webhook-signature` is `v1,` and the base64 of the HMAC-SHA256
 * of `<webhook-id>.<webhook-timestamp>.<body>` under the bytes of the secret.
 */
import { createHmac } from 'node:crypto';
import { InvalidInput } from '../errors.ts';

const SECRET_PREFIX = 'whsec_';
const SECRET_BYTES = { least: 24, most: 64 };

/**
 * @param secret `whsec_<base64>`
 * @param timestamp seconds since 1970
 */
function signature(secret: string, id: string, timestamp: number, body: string | Uint8Array): string {
  const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  // tooth: webhook-signature
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')}`;
}

/** Headers of a signed request. @param body the text that is signed, before compression */
export function signedHeaders(secret: string, id: string, body: string | Uint8Array): Record<string, string> {
  const timestamp = Math.floor(Date.now() / 1000);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signature(secret, id, timestamp, body),
  };
}

/** @throws InvalidInput, naming the field, unless the secret is base64 of 24 to 64 bytes */
export function checkSigningSecret(secret: string, attr: string): void {
  const { length } = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
  if (length >= SECRET_BYTES.least && length <= SECRET_BYTES.most) return;
  throw new InvalidInput(`The secret must be ${SECRET_BYTES.least} to ${SECRET_BYTES.most} bytes of base64.`, attr);
}
