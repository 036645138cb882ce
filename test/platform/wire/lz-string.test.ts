import assert from 'node:assert/strict';
import fc from 'fast-check';
import LZString from 'lz-string';
import { MalformedRequest, TooLarge } from '../../../src/platform/errors.ts';
import { decompressLz64 } from '../../../src/platform/wire/lz-string.ts';

const LIMIT = 1_000_000;

describe('lz64', () => {
  it('is read as lz-string wrote it, whatever the text', () => {
    const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code));
    const few = fc.constantFrom('a', 'b', '"', '漢');
    const texts = fc.oneof(
      fc.array(unit, { maxLength: 500 }),
      fc.array(few, { maxLength: 2_000, size: 'max' }),
      fc.array(few, { maxLength: 50 }).map((some) => Array.from({ length: 99 }, () => some).flat()),
    );
    fc.assert(
      fc.property(texts, (units) => {
        const text = units.join('');
        assert.equal(decompressLz64(LZString.compressToBase64(text), LIMIT), text);
      }),
    );
  });

  it('is read with a dictionary of many codes', () => {
    const text = JSON.stringify(Array.from({ length: 20_000 }, (_, n) => (n * 2_654_435_761) % 4_294_967_296));
    assert.equal(decompressLz64(LZString.compressToBase64(text), LIMIT), text);
  });

  it('stops at the limit, however short the input', () => {
    const bomb = LZString.compressToBase64('a'.repeat(300_000));
    assert.ok(bomb.length < 1_500);
    assert.throws(() => decompressLz64(bomb, 299_999), TooLarge);
    assert.equal(decompressLz64(bomb, 300_000).length, 300_000);
    assert.throws(() => decompressLz64('A'.repeat(3 * 1024 * 1024), LIMIT), TooLarge);
  });

  it('is never anything but a text or refused', () => {
    fc.assert(
      fc.property(fc.base64String({ maxLength: 300 }), (input) => {
        try {
          assert.equal(typeof decompressLz64(input, LIMIT), 'string');
        } catch (error) {
          assert.ok(error instanceof MalformedRequest, String(error));
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
