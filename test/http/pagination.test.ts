import assert from 'node:assert/strict';
import { InvalidInput } from '../../src/errors.ts';
import { cursorPage, decodeCursor, encodeCursor, offsetPage } from '../../src/http/pagination.ts';

const URL_OF_LIST = new URL('https://sluice.example/list/?status=Failed');

describe('pages', () => {
  it('by offset link to their neighbours and keep the rest of the query', () => {
    const page = offsetPage(URL_OF_LIST, { limit: 10, offset: 15 }, { count: 40, results: [] });
    assert.equal(page.next, 'https://sluice.example/list/?status=Failed&limit=10&offset=25');
    assert.equal(page.previous, 'https://sluice.example/list/?status=Failed&limit=10&offset=5');
  });

  it('by offset end on both sides', () => {
    const page = offsetPage(URL_OF_LIST, { limit: 10, offset: 0 }, { count: 10, results: [] });
    assert.deepEqual([page.next, page.previous], [null, null]);
    const second = offsetPage(URL_OF_LIST, { limit: 10, offset: 4 }, { count: 10, results: [] });
    assert.equal(second.previous, 'https://sluice.example/list/?status=Failed&limit=10');
  });

  it('by cursor carry the key through the link', () => {
    const key = ['2015-05-17T10:05:03.000001Z', 'ü'];
    const page = cursorPage(URL_OF_LIST, { next: { direction: 'after', key }, previous: undefined, results: [] });
    const cursor = new URL(page.next ?? '').searchParams.get('cursor') ?? '';
    assert.deepEqual(decodeCursor(cursor, 2), { direction: 'after', key });
    assert.equal(page.previous, null);
  });

  it('refuse a cursor that they did not give out', () => {
    const short = encodeCursor({ direction: 'after', key: ['one'] });
    for (const text of ['', 'x', '!!', btoa('{}'), btoa('[1,2,3]'), btoa('["after",1,2]'), short]) {
      assert.throws(() => decodeCursor(text, 2), InvalidInput);
    }
  });
});
