import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { hash01 } from '../../../src/flags/evaluation/hash.ts';

/** The same by OpenSSL: 60 bits of SHA-1 as a share of all that they can be. */
function shareByOpenssl(text: string): number {
  return Number(BigInt(`0x${createHash('sha1').update(text).digest('hex').slice(0, 15)}`)) / 2 ** 60;
}

describe('the place of an id', () => {
  const texts = fc.oneof(
    fc.string({ maxLength: 70 }),
    fc.string({ unit: 'binary-ascii', maxLength: 70 }),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );

  it('is that of all three texts together, whatever was placed before', () => {
    fc.assert(
      fc.property(
        texts,
        fc.array(texts, { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', 'variant'),
        (key, ids, salt) => {
          const place = hash01(`${key}.`);
          for (const id of ids) assert.equal(place(id, salt), shareByOpenssl(`${key}.${id}${salt}`));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('is right on both sides of the longest text that fits into a block', () => {
    for (let length = 40; length < 70; length++) {
      const id = 'i'.repeat(length);
      assert.equal(hash01('k.')(id), shareByOpenssl(`k.${id}`), `${length}`);
    }
  });
});
