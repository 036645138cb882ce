/**
 * Passwords at rest: scrypt with the parameters that OWASP's Password Storage Cheat Sheet gives for 16 MiB. The stored text names them, so
 * they can be raised later. It has the PHC string format: `$scrypt$ln=14,r=8,p=5$<salt>$<hash>`, base64 without padding.
 *
 * A hash costs a fifth of a second of one core and 16 MiB: only few are computed at once, and few more wait.
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { InvalidInput, Unavailable } from '../errors.ts';
import { createLine } from '../fairness/fair-queue.ts';
import { isHardToGuess } from './guessing.ts';

type Cost = { logN: number; r: number; p: number };

const COST: Cost = { logN: 14, r: 8, p: 5 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const AT_ONCE = 2;
/** About ten seconds of waiting; beyond this a client does better to retry. */
const MAX_WAITING = 100;
const STORED_FORM = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([\w+/]+)\$([\w+/]+)$/;

const MIN_CHARACTERS = 8;

/**
 * Checks a new password; older ones stay valid.
 * @param guessable texts that are easily found out: the user's address and names
 * @throws InvalidInput naming the field, in Django's words
 */
export async function ensureHardToGuess(
  password: string,
  attr: string,
  guessable: readonly string[] = [],
): Promise<void> {
  if (password.length < MIN_CHARACTERS) {
    const detail = `This password is too short. It must contain at least ${MIN_CHARACTERS} characters.`;
    throw new InvalidInput(detail, attr, 'password_too_short');
  }
  if (/^\d+$/.test(password)) {
    throw new InvalidInput('This password is entirely numeric.', attr, 'password_entirely_numeric');
  }
  // tooth: password-guessing
  if (await isHardToGuess(password, guessable)) return;
  throw new InvalidInput('This password is too common.', attr, 'password_too_common');
}

/** @throws Unavailable when too many wait already */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const hash = await derive(password, salt, HASH_BYTES, COST);
  return `$scrypt$ln=${COST.logN},r=${COST.r},p=${COST.p}$${unpaddedBase64(salt)}$${unpaddedBase64(hash)}`;
}

/**
 * @param hash from `hashPassword`; null: no password, which takes as long to check as a wrong one
 * @throws Unavailable when too many wait already
 */
export async function isPassword(password: string, hash: string | null): Promise<boolean> {
  const [, logN, r, p, salt = '', wanted = ''] = STORED_FORM.exec(hash ?? DUMMY_HASH) ?? [];
  if (wanted === '') throw new Error('A password hash has an unknown form.');
  const storedHash = Buffer.from(wanted, 'base64');
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(password, Buffer.from(salt, 'base64'), storedHash.length, cost);
  return timingSafeEqual(derived, storedHash) && hash !== null;
}

/** Hash of random bytes, which no known text matches. */
const DUMMY_HASH = `$scrypt$ln=${COST.logN},r=${COST.r},p=${COST.p}$${unpaddedBase64(randomBytes(SALT_BYTES))}$${unpaddedBase64(randomBytes(HASH_BYTES))}`;

function unpaddedBase64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}

/** Queue for all hashes of the process. */
const enterLine = createLine<undefined>({
  capacity: AT_ONCE,
  maxWaitingPerSender: MAX_WAITING,
  tooManyError: () => new Unavailable('Too many passwords are being checked right now.'),
});

async function derive(password: string, salt: Buffer, bytes: number, { logN, r, p }: Cost): Promise<Buffer> {
  const leave = await enterLine(undefined);
  try {
    // The same letters typed on another keyboard (NFC against NFD) are the same password.
    const text = password.normalize('NFKC');
    const options = { N: 2 ** logN, r, p, maxmem: 256 * r * (2 ** logN + p) };
    return await new Promise((resolve, reject) => {
      scrypt(text, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key)));
    });
  } finally {
    leave();
  }
}
