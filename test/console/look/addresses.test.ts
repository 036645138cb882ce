/** Queries of addresses: written as people write them, and read as they were written, whatever the text is. */
import assert from 'node:assert/strict';
import { parseSearch, stringifySearch } from '../../../console/src/search.ts';

describe('the query of an address', () => {
  it('has texts, numbers and words of JSON as they are', () => {
    const search = { attempt: '1', text: 'no such bucket', on: 'true', page: 2, none: undefined };
    assert.equal(stringifySearch(search), '?attempt=1&text=no+such+bucket&on=true&page=2');
    assert.equal(stringifySearch({ text: undefined }), '');
    assert.deepEqual(parseSearch('?attempt=1&on=true&text=no%20such'), { attempt: '1', on: 'true', text: 'no such' });
  });

  it('is still read where an address of before has quotes', () => {
    assert.deepEqual(parseSearch('?attempt=%221%22&text=%22null%22'), { attempt: '1', text: 'null' });
    assert.deepEqual(parseSearch(`?text=${encodeURIComponent(JSON.stringify('"quoted"'))}`), { text: '"quoted"' });
  });

  it('gives every text back as it was', () => {
    for (const text of [
      '',
      '1',
      '"',
      '"1"',
      '""1""',
      '"\\"1\\""',
      '"clik"',
      '{"a":1}',
      'a&b=c#d%20+ ',
      '日本',
      '\\',
      '-0',
    ])
      assert.deepEqual(parseSearch(stringifySearch({ text })), { text }, text);
  });
});
