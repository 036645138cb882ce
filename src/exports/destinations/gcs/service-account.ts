/** Keys of service accounts, as Google Cloud's console gives them: JSON with a private key. */
import { createPrivateKey, sign, type KeyObject } from 'node:crypto';
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
/** Google's limit of an assertion's time. */
const ASSERTION_SECONDS = 3600;
const EMAIL = /^[\x21-\x3f\x41-\x7e]+@[A-Za-z0-9.-]+$/;

/** @throws InvalidInput, whose message repeats no part of the key */
export function parseServiceAccountKey(text: string): ServiceAccount {
  const key = objectIn(text);
  if (key['type'] !== 'service_account')
    throw keyError('Must be the JSON key of a service account, with the type "service_account".');
  const { client_email: email, private_key_id: keyId, token_uri: tokenUri = TOKEN_URI } = key;
  if (typeof email !== 'string' || !EMAIL.test(email)) throw keyError('Must have a valid client_email.');
  if (typeof tokenUri !== 'string') throw keyError('Must have a token_uri that is text.');
  return {
    email,
    privateKey: privateKeyIn(key['private_key']),
    keyId: typeof keyId === 'string' ? keyId : null,
    tokenUri,
  };
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
  try {
    const key = createPrivateKey(pem as string);
    if (key.asymmetricKeyType === 'rsa') return key;
  } catch {
    // As below.
  }
  throw keyError('Must have a private_key that is an RSA key in PEM.');
}

const keyError = (sentence: string) => new InvalidInput(sentence, FIELD);

/** The signed statement for which Google's server gives an access token (RFC 7523). @param now seconds since 1970 */
export function assertionOf({ email, privateKey, keyId, tokenUri }: ServiceAccount, now: number): string {
  const header = { alg: 'RS256', typ: 'JWT', ...(keyId !== null && { kid: keyId }) };
  const claims = { iss: email, scope: SCOPE, aud: tokenUri, iat: now, exp: now + ASSERTION_SECONDS };
  const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
}
