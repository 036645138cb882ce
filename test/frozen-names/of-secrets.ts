/** Texts that encrypted values are bound to and signatures are made for: with another text, stored values cannot be decrypted any more. */
import ts from 'typescript';
import { createShareTokens } from '../../src/analytics/sharing/share-tokens.ts';
import { configEncryption } from '../../src/exports/integrations/config-encryption.ts';
import { payloadEncryption } from '../../src/flags/feature-flags/encrypted-payloads.ts';
import { createStreamTokens } from '../../src/flags/ofrep/stream-tokens.ts';
import { createKeyRing, generateKeyRing, type KeyRing } from '../../src/platform/secrets/key-ring.ts';
import { payloadCodec } from '../../src/platform/temporal/payload-codec.ts';
import { Type } from '../../src/platform/schema.ts';
import type { Kind } from './kind.ts';
import { argumentOf, callsOf, literalsOf, type Product } from './product.ts';

export const SECRET_KINDS: readonly Kind[] = [
  {
    name: 'processes/secrets',
    writtenTo: 'encrypted values in databases and histories, and in tokens that people hold',
    least: 10,
    async present({ product }) {
      const used: string[] = [];
      const encoding = await useAll(recordingRing(used), purposesOf(product()));
      assertAllAreUsed(product());
      return [...used, `encoding of payloads ${encoding}`, ...hashedWords(product())];
    },
  },
];

/** A real ring that says what it was asked for. */
function recordingRing(used: string[]): KeyRing {
  const ring = createKeyRing(generateKeyRing());
  return {
    ...ring,
    encrypt(value, additionalData) {
      const envelope = ring.encrypt(value, additionalData);
      used.push(`envelope ${envelope.split('.')[0]}`, `sealed for ${additionalData}`);
      return envelope;
    },
    sign(text, purpose) {
      used.push(`signed for ${purpose}`);
      return ring.sign(text, purpose);
    },
  };
}

const ROW = { id: '<id>', projectId: '<project>' as unknown as number };

/** Everything that encrypts or signs, once; `PLACES_OF_KEYS` says where it is. @returns how encrypted payloads of Temporal are marked */
async function useAll(ring: KeyRing, purposes: readonly string[]): Promise<string> {
  const configs = configEncryption(ring);
  const config = Type.Object({ password: Type.String({ writeOnly: true }) });
  configs.encrypt(ROW, { config }, { password: 'x' });
  configs.encryptIntegration(ROW as never, config, { password: 'x' });
  for (const purpose of purposes) configs.encryptSecret(ROW, purpose, 'x');
  payloadEncryption(ring).encrypt(ROW as never, 'x');
  createShareTokens(ring).issue({ share_password_id: 1, team_id: 1, access_token: 'x' });
  createStreamTokens(ring).issue(1);
  const [payload] = await payloadCodec(ring).encode([{ data: new Uint8Array() }]);
  return Buffer.from(payload!.metadata!['encoding']!).toString();
}

const PLACES_OF_KEYS = [
  'config-encryption.ts',
  'encrypted-payloads.ts',
  'payload-codec.ts',
  'share-tokens.ts',
  'stream-tokens.ts',
];

/** @throws Error when a file uses a key ring that `useAll` does not know */
function assertAllAreUsed(product: Product): void {
  const found = new Set<string>();
  for (const call of callsOf(product, ['encrypt', 'decrypt', 'sign', 'hasSigned'])) {
    const name = (call.expression as ts.PropertyAccessExpression).name;
    const symbol = name && product.checker.getSymbolAtLocation(name);
    const isOfRing = symbol?.declarations?.some((one) => one.getSourceFile().fileName.endsWith('/secrets/key-ring.ts'));
    if (isOfRing) found.add(call.getSourceFile().fileName.split('/').pop()!);
  }
  const places = [...found].sort().join(' ');
  if (places === PLACES_OF_KEYS.join(' ')) return;
  throw new Error(`A key ring is used in ${places}: make test/frozen-names/of-secrets.ts use each of them.`);
}

/** The purposes of secrets in columns of their own. */
function purposesOf(product: Product): string[] {
  const calls = [...callsOf(product, ['encryptSecret', 'decryptSecret'])];
  return [...new Set(calls.flatMap((call) => argumentOf(product, call, 1)))];
}

/** Constant texts that go into an HMAC or a hash. */
function hashedWords(product: Product): string[] {
  return [...callsOf(product, ['update'])].flatMap((call) => {
    const { expression } = call;
    if (!ts.isPropertyAccessExpression(expression) || !/createHm?a[cs]h?\(/.test(expression.expression.getText()))
      return [];
    const [argument] = call.arguments ?? [];
    return argument ? literalsOf(product.checker.getTypeAtLocation(argument)).map((word) => `hashed for ${word}`) : [];
  });
}
