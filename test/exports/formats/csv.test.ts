import assert from 'node:assert/strict';
import type { Column } from '../../../src/conditions/rows/columns.ts';
import { emptyFile, encodeFile } from '../../../src/exports/formats/file.ts';
import { readExportedFile } from '../../../src/exports/formats/read-file.ts';
import { RowsDigester } from '../../../src/conditions/rows/rows-digest.ts';
import { UnreadableFile } from '../../../src/exports/formats/unreadable.ts';
import { chunked, readAll, copyBinary } from '../../support/database/copy-stream.ts';
import { copiedColumns, copyOf, buildTableOfEveryType, type Table } from '../../support/database/tables.ts';

const UUID = '00000000-0000-4000-8000-000000000001';

async function encode(table: Table, formulaSafe = false): Promise<string> {
  const options = { columns: copiedColumns(table), format: 'CSV', compression: null, formulaSafe } as const;
  return (await readAll(encodeFile(chunked(copyOf(table), [1000]), options).bytes)).toString();
}

const texts = (...values: (string | null)[]): Table => ({
  columns: [
    { name: 'n', type: 'int4' },
    { name: 'text', type: 'text' },
  ],
  rows: values.map((value, n) => [-n, value]),
});

async function read(content: string, digest?: RowsDigester, size = 7) {
  return readExportedFile(chunked(Buffer.from(content), [size]), { format: 'CSV', compression: null }, digest);
}

describe('CSV', () => {
  it('quotes where needed, and distinguishes an empty text from null', async () => {
    assert.equal(
      await encode(texts('plain', '', null, 'a,b', 'a "b"', 'a\r\nb', ' spaces ')),
      'n,text\r\n0,plain\r\n-1,""\r\n-2,\r\n-3,"a,b"\r\n-4,"a ""b"""\r\n-5,"a\r\nb"\r\n-6, spaces \r\n',
    );
  });

  it('begins text that a spreadsheet would run with an apostrophe, when asked to', async () => {
    const table = texts('=1+1', '+1', '-1', '@a', '\ta', '\ra', 'a=1', "'=1", '');
    assert.equal(
      await encode({ ...table, columns: [table.columns[0]!, { name: '=text', type: 'text' }] }, true),
      `n,"'=text"\r\n0,"'=1+1"\r\n-1,"'+1"\r\n-2,"'-1"\r\n-3,"'@a"\r\n-4,"'\ta"\r\n-5,"'\ra"\r\n-6,a=1\r\n-7,'=1\r\n-8,""\r\n`,
    );
    assert.match(await encode(table), /\r\n0,=1\+1\r\n/);
  });

  it('finds the formula behind white space, and in wide characters', async () => {
    const formulas = [
      '\n=1',
      ' =1',
      ' '.repeat(200) + '@a',
      '\u00a0-1',
      '\u2003+1',
      '\u3000=1',
      '\ufeff=1',
      '\v=1',
      '＝1',
      '＋1',
      '－1',
      '＠a',
    ];
    const others = [' a', '\u00a0', '\ufeffa', '\ufffd=', '\u2018=1', 'é=1', '’=1', '｜=1', "'=1", '"=1"', 'a\n=1'];
    for (const text of formulas) assert.equal(await encode(texts(text), true), `n,text\r\n0,"'${text}"\r\n`, text);
    for (const text of others) assert.equal(await encode(texts(text), true), await encode(texts(text)), text);
    const named: Table = { columns: [{ name: '\ufeff=1', type: 'text' }], rows: [] };
    assert.equal(await encode(named, true), `"'\ufeff=1"\r\n`);
  });

  it('writes each type as text', async () => {
    const lines = (await encode(buildTableOfEveryType(4))).split('\r\n');
    assert.equal(lines[0], 'uuid,text,jsonb,timestamptz,date,int4,int8,float8,bool');
    assert.equal(
      lines[1],
      '00000000-0000-4000-8000-000000000000,"",{},1970-01-01T00:00:00.000000Z,1970-01-01,0,0,0,true',
    );
    assert.equal(lines[3], ',plain,[],2015-05-17T10:05:03.000001Z,2015-05-17,2147483647,9223372036854775807,0.1,');
  });

  it('never has an empty line for a row', async () => {
    const table: Table = { columns: [{ name: 'text', type: 'text' }], rows: [[null], ['']] };
    assert.equal(await encode(table), 'text\r\n""\r\n""\r\n');
  });

  it('is read back to its last cell, wherever blocks end', async () => {
    const rows = buildTableOfEveryType(50).rows.map((row) => [UUID, ...row.slice(1)]);
    const table: Table = { ...buildTableOfEveryType(0), rows };
    const content = await encode(table);
    for (const size of [1, 7, 64, 100_000]) {
      const digest = new RowsDigester();
      assert.equal((await read(content, digest, size)).rows, 50);
      assert.equal(digest.digest(), '50');
    }
  });

  it('is its header without any row', async () => {
    const columns: Column[] = copiedColumns(texts());
    const file = emptyFile({ format: 'CSV', compression: 'gzip', columns });
    const packed = await readAll(file.bytes);
    const back = await readExportedFile(chunked(packed, [5]), { format: 'CSV', compression: 'gzip' }, undefined);
    assert.deepEqual([back.rows, back.contentSha256], [0, file.summary().contentSha256]);
  });

  it('writes cells that are larger than every buffer', async () => {
    const columns: Column[] = [
      { name: 'uuid', type: 'uuid' },
      { name: 'text', type: 'text' },
    ];
    const long = 'a"b'.repeat(1_000_000);
    const rows = copyBinary([[Buffer.alloc(16), Buffer.from(long)]]);
    const file = encodeFile(chunked(rows, [65_536]), { columns, format: 'CSV', compression: null });
    const content = (await readAll(file.bytes)).toString();
    assert.ok(content.endsWith(`,"${long.replaceAll('"', '""')}"\r\n`));
  });

  for (const [name, content, message] of [
    ['a file cut short', 'uuid,a\r\n1,"x', /has no end/],
    ['a row of fewer cells', `uuid,a\r\n${UUID}\r\n`, /row 1 has 1 cells/],
    ['a row without a uuid', 'uuid,a\r\n1,2\r\n', /row 1 has no uuid/],
    ['text after a quoted cell', 'uuid,a\r\n"1"2,3\r\n', /does not end/],
    ['nothing at all', '', /no header/],
  ] as const) {
    it(`refuses ${name}`, async () => {
      await assert.rejects(
        read(content, new RowsDigester()),
        (error) => error instanceof UnreadableFile && message.test(error.message),
      );
    });
  }
});
