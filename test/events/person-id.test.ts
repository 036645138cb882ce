import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writePersonId } from '../../src/events/person-id.ts';
import { paddedLength, sha1 } from '../../src/events/sha1.ts';

function personId(projectId: number, distinctId: string): string {
  const target = Buffer.alloc(18);
  writePersonId(projectId, distinctId, target, 1);
  return target.toString('hex', 1, 17);
}

describe('the id of a person', () => {
  it('never changes', () => {
    assert.equal(personId(1, 'someone'), 'af399517c17e538cb197a29161ba7196');
    assert.equal(personId(2, 'someone'), '8acdcf676a255defa5d7e59d674a01c1');
    assert.equal(personId(1, 'Zoë 🎈'), 'de3d6dffe32252d4b6a477e630bb4081');
  });

  it('is uuid v5', () => {
    assert.match(personId(1, 'x'.repeat(200)), /^.{12}5.{3}[89ab].{15}$/);
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
