import assert from 'node:assert/strict';
import { replaceUnit } from '../../../src/platform/wire/replace.ts';
import { storableText } from '../../../src/platform/wire/json.ts';

describe('a character', () => {
  it('is replaced by another wherever it is, and all others stay', () => {
    for (const text of ['', '+', 'a+b++', 'é+漢+🎈', '\ud800+']) {
      assert.equal(replaceUnit(text, '+', ' '), text.replaceAll('+', ' '));
    }
    assert.equal(storableText('a\0🎈\ud800\0'), 'a\ufffd🎈\ufffd\ufffd');
  });

  it('is replaced twenty million times without memory for each', () => {
    const text = '+'.repeat(20 * 1024 * 1024);
    const before = process.memoryUsage().heapUsed;
    const replaced = replaceUnit(text, '+', ' ');
    assert.ok(process.memoryUsage().heapUsed - before < 100e6);
    assert.equal(replaced.trim(), '');
  });
});
