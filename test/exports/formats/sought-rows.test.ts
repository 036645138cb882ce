/** Searching files and rows for values of columns of type text. */
import assert from 'node:assert/strict';
import { encodeFile } from '../../../src/exports/formats/file.ts';
import type { FileFormat } from '../../../src/exports/formats/file-encoding.ts';
import { readExportedFile } from '../../../src/exports/formats/read-file.ts';
import { countSought, SoughtRows } from '../../../src/exports/formats/sought-rows.ts';
import { copyBinary } from '../../support/database/copy-stream.ts';

const COLUMNS = [
  { name: 'uuid', type: 'uuid' },
  { name: 'distinct_id', type: 'text' },
  { name: 'other', type: 'text' },
  { name: 'properties', type: 'jsonb' },
] as const;
const json = (text: string) => Buffer.concat([Buffer.from([1]), Buffer.from(text)]);
const ROWS = [
  ['ada', 'ada', '{}'],
  ['bob', 'ada', '{}'],
  ['bob', null, '{"distinct_id": "ada"}'],
  ['ada2', 'an ada', '"ada"'],
  ['=ada', 'x"y\n,é', '{}'],
  ['Ada', '', '{}'],
] as const;
const copy = copyBinary(
  ROWS.map(([id, other, properties], n) => [
    Buffer.alloc(16, n),
    Buffer.from(id),
    other === null ? null : Buffer.from(other),
    json(properties),
  ]),
);
async function* inPieces(size: number) {
  for (let at = 0; at < copy.length; at += size) yield copy.subarray(at, at + size);
}

const CASES: [texts: string[], rows: number][] = [
  [['ada'], 2],
  [['=ada'], 1],
  [['x"y\n,é'], 1],
  [['ada', 'ada2', 'bob'], 4],
  [['ad', 'eve', 'other', 'distinct_id'], 0],
  [[], 0],
];

describe('searching rows', () => {
  for (const [format, formulaSafe] of [
    ['JSONLines', false],
    ['CSV', false],
    ['CSV', true],
    ['Parquet', false],
  ] as [FileFormat, boolean][])
    it(`of ${format} files${formulaSafe ? ' that are safe for spreadsheets' : ''} finds whole values`, async () => {
      for (const [texts, expected] of CASES) {
        const { bytes } = encodeFile(inPieces(50), { format, compression: null, formulaSafe, columns: [...COLUMNS] });
        const sought = new SoughtRows(texts, COLUMNS);
        await readExportedFile(bytes, { format, compression: null }, undefined, sought);
        assert.equal(sought.found, expected, texts.join());
      }
    });

  it('of the source finds the same', async () => {
    for (const [texts, expected] of CASES)
      for (const size of [1, 50, 10_000]) assert.equal(await countSought(inPieces(size), COLUMNS, texts), expected);
  });
});
