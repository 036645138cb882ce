import assert from 'node:assert/strict';
import { generateKey, hashOf, isSecretKey } from '../../../src/people/keys/keys.ts';
import { allows } from '../../../src/people/access/scopes.ts';

describe('API keys', () => {
  it('carry their kind, 256 random bits and a checksum', () => {
    const key = generateKey('phx');
    assert.match(key, /^phx_[0-9A-Za-z]{49}$/);
    assert.notEqual(key, generateKey('phx'));
    assert.ok(isSecretKey(key));
    assert.ok(isSecretKey(generateKey('phs')));
  });

  it('are recognised as wrong after any one change', () => {
    const key = generateKey('phs');
    for (let index = 0; index < key.length; index += 1) {
      const other = key[index] === 'x' ? 'y' : 'x';
      const changed = key.slice(0, index) + other + key.slice(index + 1);
      assert.ok(!isSecretKey(changed), changed);
    }
    for (const text of ['', 'phx_', `${key} `, `${key}a`, key.slice(0, -1), generateKey('phc'), 'é'.repeat(53)]) {
      assert.ok(!isSecretKey(text), text);
    }
  });

  it('are kept as SHA-256', () => {
    assert.equal(hashOf('phx_a').length, 32);
    assert.notDeepEqual(hashOf('phx_a'), hashOf('phx_b'));
    // The reference's vector: keys could be taken over with their hashes.
    const known = '45af89b510a3279a817f851de5d3f95b73485d58ec2672a39e52d8aeeb014059';
    assert.equal(hashOf('test_key_12345').toString('hex'), known);
  });

  it('may read what they may write, and nothing else by accident', () => {
    assert.ok(allows(['batch_export:write'], 'batch_export:read'));
    assert.ok(allows(['*'], 'event:write'));
    assert.ok(!allows(['batch_export:read'], 'batch_export:write'));
    assert.ok(!allows(['event:write'], 'batch_export:read'));
    assert.ok(!allows([], 'batch_export:read'));
  });
});
