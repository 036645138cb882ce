import assert from 'node:assert/strict';
import { readIds } from '../../../src/flags/cohorts/read-ids.ts';

async function* blocksOf(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}
const read = (text: string | Uint8Array, size = 1 << 20) => readIds(blocksOf(Buffer.from(text as string), size));

describe('the ids in a CSV file', () => {
  const files: [text: string, ids: string[], kind?: 'person_id'][] = [
    ['a\nb\nc', ['a', 'b', 'c']],
    ['a\r\nb\r\n\r\nc\r\n', ['a', 'b', 'c']],
    ['a\rb\r', ['a', 'b']],
    ['\ufeffdistinct_id\nä\n', ['ä']],
    ['Distinct_IDs\nb\nb\na\n', ['b', 'a']],
    ['name,distinct_id,age\n"Smith, ""J""",a,3\nx,"b,\nc",4\ny\nz,', ['a', 'b,\nc']],
    ['distinct_id,\na,\nb,', ['a', 'b']],
    [
      'email,person_id\nx,0190b6a0-0000-7000-8000-000000000000\n',
      ['0190b6a0-0000-7000-8000-000000000000'],
      'person_id',
    ],
    ['person_id,distinct_id\n1,a\n', ['a']],
    ['"a"', ['a']],
    ['"a"\n', ['a']],
    ['a"b\n', ['a"b']],
    [' a \n  \n', ['a']],
  ];
  for (const [text, ids, kind = 'distinct_id'] of files) {
    it(`are ${ids.join(' ')} in ${JSON.stringify(text)}, however it is cut`, async () => {
      for (const size of [1, 2, 3, 1000]) assert.deepEqual(await read(text, size), { kind, ids });
    });
  }

  it('are read in turns with other work', async () => {
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 0);
    await read(`a\n${'\n'.repeat(1_000_000)}`, 1 << 16);
    clearInterval(timer);
    assert.ok(turns > 5, `${turns} turns`);
  });

  const refused: [text: string | Uint8Array, message: RegExp][] = [
    ['', /contains no ids/],
    ['distinct_id\n', /contains no ids/],
    ['\n\n', /contains no ids/],
    ['a,b\nc,d', /must name one of them/],
    ['"a', /no closing quote/],
    ['"a"b\n', /text between/],
    ['a\n\0\n', /Null characters/],
    [Buffer.from([0x61, 0x0a, 0xff, 0x0a]), /not UTF-8/],
    [Buffer.from([0x61, 0xc3]), /not UTF-8/],
    ['x'.repeat(70_000), /more than 65536 characters/],
    [`distinct_id${','.repeat(1000)}\na`, /more than 1000 cells/],
    [`"${'x'.repeat(70_000)}`, /more than 65536 characters|no closing quote/],
    [Array.from({ length: 250_001 }, (_, index) => index).join('\n'), /more than 250000 persons/],
  ];
  for (const [text, message] of refused) {
    it(`are refused: ${message.source}`, async () => {
      await assert.rejects(read(text, 1 << 16), { name: 'InvalidInput', attr: 'csv', message });
    });
  }
});
