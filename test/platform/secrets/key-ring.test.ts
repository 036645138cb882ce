import assert from 'node:assert/strict';
import { CommandFailed, SecretLost } from '../../../src/platform/errors.ts';
import { createKeyRing, generateKeyRing } from '../../../src/platform/secrets/key-ring.ts';

const OLD = `old:${Buffer.alloc(32, 1).toString('base64')}`;
const NEW = `new:${Buffer.alloc(32, 2).toString('base64')}`;

describe('the key ring', () => {
  it('opens what it sealed, for the same row only', () => {
    const ring = createKeyRing(generateKeyRing());
    const envelope = ring.encrypt('s3cret ☂', 'batch_exports/1/a');
    assert.equal(ring.decrypt(envelope, 'batch_exports/1/a'), 's3cret ☂');
    assert.throws(() => ring.decrypt(envelope, 'batch_exports/2/a'));
    assert.doesNotMatch(envelope, /s3cret/);
  });

  it('seals the same value differently each time', () => {
    const ring = createKeyRing(NEW);
    assert.notEqual(ring.encrypt('a', 'row'), ring.encrypt('a', 'row'));
  });

  it('seals with the newest key and opens with the key that the envelope names', () => {
    const before = createKeyRing(OLD).encrypt('kept', 'row');
    const rotated = createKeyRing(`${NEW},${OLD}`);
    assert.equal(rotated.decrypt(before, 'row'), 'kept');
    assert.match(rotated.encrypt('kept', 'row'), /^v1\.new\./);
  });

  it('names the key that is gone', () => {
    const before = createKeyRing(OLD).encrypt('lost', 'row');
    assert.throws(() => createKeyRing(NEW).decrypt(before, 'row'), /the key "old"/);
  });

  it('knows which keys it holds, and which are declared lost', () => {
    const ring = createKeyRing(`${NEW},old:lost`);
    assert.deepEqual(['new', 'old', 'other'].map(ring.statusOf), ['held', 'lost', 'missing']);
    assert.throws(() => ring.decrypt(createKeyRing(OLD).encrypt('lost', 'row'), 'row'), SecretLost);
    assert.throws(() => createKeyRing('old:lost'), /holds no key/);
    assert.throws(() => createKeyRing(`${OLD},old:lost`), /repeats the id "old"/);
  });

  it('refuses an envelope in which one bit is different', () => {
    const ring = createKeyRing(NEW);
    const [version, id, body = ''] = ring.encrypt('value', 'row').split('.');
    const bytes = Buffer.from(body, 'base64url');
    for (const index of [0, 13, bytes.length - 1]) {
      const changed = Buffer.from(bytes);
      changed[index] = (changed[index] ?? 0) ^ 1;
      assert.throws(() => ring.decrypt(`${version}.${id}.${changed.toString('base64url')}`, 'row'));
    }
    assert.throws(() => ring.decrypt('v1.new.AAAA', 'row'), /cut short/);
    assert.throws(() => ring.decrypt('plain', 'row'), /unknown form/);
  });

  it('knows what it signed, for the same purpose only', () => {
    const ring = createKeyRing(NEW);
    const signature = ring.sign('text', 'purpose');
    assert.equal(signature, ring.sign('text', 'purpose'));
    assert.ok(ring.hasSigned('text', 'purpose', signature));
    assert.ok(!ring.hasSigned('other', 'purpose', signature));
    assert.ok(!ring.hasSigned('text', 'other', signature));
    assert.ok(!ring.hasSigned('text', 'purpose', signature.slice(0, -1)));
    assert.ok(!ring.hasSigned('text', 'purpose', ''));
    assert.ok(!createKeyRing(OLD).hasSigned('text', 'purpose', signature));
    assert.ok(createKeyRing(`${NEW},${OLD}`).hasSigned('text', 'purpose', createKeyRing(OLD).sign('text', 'purpose')));
  });

  for (const [what, text] of [
    ['nothing', ''],
    ['no id', Buffer.alloc(32).toString('base64')],
    ['a short key', 'k:YWJj'],
    ['a short key without an id', 'YWJjYWJjYWJjYWJj'],
    ['one id twice', `${OLD},${OLD}`],
  ] as const) {
    it(`does not start on ${what}, and does not print the key`, () => {
      assert.throws(
        () => createKeyRing(text),
        (error) => error instanceof CommandFailed && !error.message.includes('AQEB') && !error.message.includes('YWJj'),
      );
    });
  }
});
