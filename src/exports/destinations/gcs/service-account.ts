/** Keys of service accounts, as Google Cloud's console gives them: JSON with a private key. */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { InvalidInput } from '../../../platform/errors.ts';

export type ServiceAccount = {
  email: string;
  privateKey: KeyObject;
  keyId: string | null;
  /** Address of the server that gives access tokens. */
  tokenUri: string;
};

const FIELD = 'service_account_key';
const TOKEN_URI = 'https://oauth2.googleapis.com/token';
const SCOPE = 'https://www.googleapis.com/auth/devstorage.read_write';
/** Lifetime of an assertion: the longest that Google accepts. */
const ASSERTION_SECONDS = 3600;
const [MIN_KEY_BITS, MAX_KEY_BITS, PUBLIC_EXPONENT] = [2048, 4096, 65_537n];
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+$/;

/** @throws InvalidInput, whose message repeats no part of the key */
export function parseServiceAccountKey(text: string): ServiceAccount {
  const key = objectIn(text);
  if (key['type'] !== 'service_account')
    throw keyError('Must be the JSON key of a service account, with the type "service_account".');
  const { client_email: email, private_key_id: keyId, token_uri: tokenUri = TOKEN_URI } = key;
  if (typeof email !== 'string' || !EMAIL.test(email)) throw keyError('Must have a valid client_email.');
  if (typeof tokenUri !== 'string' || !isAddress(tokenUri)) throw keyError('Must have a token_uri that is a URL.');
  return {
    email,
    privateKey: privateKeyIn(key['private_key']),
    keyId: typeof keyId === 'string' ? keyId : null,
    tokenUri,
  };
}

function isAddress(text: string): boolean {
  const url = URL.parse(text);
  return (
    url !== null && ['http:', 'https:'].includes(url.protocol) && `${url.username}${url.password}${url.hash}` === ''
  );
}

function objectIn(text: string): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as Record<string, unknown>;
  } catch {
    // The parser's message quotes the text.
  }
  throw keyError('Must be a JSON object: the whole content of the key file.');
}

function privateKeyIn(pem: unknown): KeyObject {
  let key: KeyObject | undefined;
  try {
    if (typeof pem === 'string') key = createPrivateKey(pem);
  } catch {
    // A text that is not a key is refused below, like a key of another type.
  }
  if (key?.asymmetricKeyType !== 'rsa') throw keyError('Must have a private_key that is an RSA key in PEM.');
  const { modulusLength = 0, publicExponent } = key.asymmetricKeyDetails ?? {};
  // Signing by a larger key, or one with another exponent, may take seconds.
  if (modulusLength < MIN_KEY_BITS || modulusLength > MAX_KEY_BITS || publicExponent !== PUBLIC_EXPONENT)
    throw keyError('Must have a private_key of 2048 to 4096 bits with the public exponent 65537.');
  return key;
}

const signInThreadPool = promisify(sign) as (algorithm: string, data: Buffer, key: KeyObject) => Promise<Buffer>;

const keyError = (sentence: string) => new InvalidInput(sentence, FIELD);

/** The signed statement for which Google's server gives an access token (RFC 7523). @param now seconds since 1970 */
export async function signAssertion(
  { email, privateKey, keyId, tokenUri }: ServiceAccount,
  now: number,
): Promise<string> {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== null && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + ASSERTION_SECONDS };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const signature = await signInThreadPool('sha256', Buffer.from(signed), privateKey);
  return `${signed}.${signature.toString('base64url')}`;
}
