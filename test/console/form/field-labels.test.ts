/** Sentences of the API in the form: with the labels that stand on the page. */
import assert from 'node:assert/strict';
import { lineOf } from '../../../console/src/exports/form/options.ts';
import { fieldWords, withLabels } from '../../../console/src/exports/words/field.ts';

const FIELDS = [
  { name: 'table_name', title: 'Table' },
  { name: 'region', title: 'Region' },
];

describe('a field in a sentence of the API', () => {
  it('has the label of the form, whether it is in quotes or not', () => {
    assert.equal(withLabels('Give another table_name.', FIELDS), 'Give another Table.');
    assert.equal(withLabels("'table_name' is empty.", FIELDS), 'Table is empty.');
  });

  it('stays a word where it may be one, and a name that the form does not have stays', () => {
    assert.equal(withLabels('The bucket is in another region.', FIELDS), 'The bucket is in another region.');
    assert.equal(withLabels('Use `other_name`.', FIELDS), 'Use `other_name`.');
  });

  it('is named without what only programs need', () => {
    assert.equal(fieldWords('destination__config__bucket_name'), 'bucket');
    assert.equal(fieldWords('destination__config__aws_access_key_id'), 'aws access key id');
  });
});

describe('the line of a field in the JSON view', () => {
  const text = JSON.stringify(
    { note: '"url": {', headers: { url: 1, list: [[{ url: 2 }], { 'a\\"b': 3 }] }, url: 'nowhere', last: { url: 4 } },
    null,
    2,
  );
  const lineWith = (part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;
  const lines = [
    ['url', '"nowhere"'],
    ['headers.url', '"url": 1'],
    ['headers.list.0.0.url', '"url": 2'],
    ['headers.list.1.a\\"b', '": 3'],
    ['last.url', '"url": 4'],
    ['headers', '"headers"'],
  ] as const;
  for (const [path, part] of lines) it(`is found by ${path}`, () => assert.equal(lineOf(text, path), lineWith(part)));

  it('is the element of a list, the last of two members with one name, and none for what is not there', () => {
    assert.equal(lineOf('{"list": [\n1,\n2]}', 'list.1'), 3);
    assert.equal(lineOf('{"url": 1,\n"url": 2}', 'url'), 2);
    for (const path of ['nothing', 'url.inner', 'list.2', '0'])
      assert.equal(lineOf('{"url": 1, "list": [1]}', path), undefined);
    assert.equal(lineOf('}{]"', 'url'), undefined);
  });
});
