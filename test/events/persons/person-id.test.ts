import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { personIdOf } from '../../../src/events/persons/person-id.ts';
import { paddedLength, sha1 } from '../../../src/platform/hashing/sha1.ts';

describe('the id of a person', () => {
  it('never changes', () => {
    assert.equal(personIdOf(1, 'someone'), 'af399517-c17e-538c-b197-a29161ba7196');
    assert.equal(personIdOf(2, 'someone'), '8acdcf67-6a25-5def-a5d7-e59d674a01c1');
    assert.equal(personIdOf(1, 'Zoë 🎈'), 'de3d6dff-e322-52d4-b6a4-77e630bb4081');
  });

  it('is uuid v5', () => {
    assert.match(personIdOf(1, 'x'.repeat(200)), /^.{8}-.{4}-5.{3}-[89ab].{3}-.{12}$/);
  });

  it('rests on the SHA-1 that everyone computes, for every length around its blocks', () => {
    for (let length = 0; length < 400; length++) {
      const message = Buffer.from(Array.from({ length }, (_, index) => (index * 31 + length) & 0xff));
      const bytes = Buffer.alloc(paddedLength(length), 0xff);
      message.copy(bytes);
      const words = [...sha1(bytes, length)].map((word) => (word >>> 0).toString(16).padStart(8, '0'));
      assert.equal(words.join(''), createHash('sha1').update(message).digest('hex'), `${length} bytes`);
    }
  });
});
