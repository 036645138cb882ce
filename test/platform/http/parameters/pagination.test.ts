import assert from 'node:assert/strict';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import {
  cursorPage,
  offsetPage,
  type PageWindow,
  type Position,
} from '../../../../src/platform/http/parameters/pagination.ts';

const URL_OF_LIST = new URL('https://sluice.example/list/?status=Failed');

const keyOf = ({ createdAt, id }: Position) => `${createdAt}${id}`;

describe('pages', () => {
  it('by offset link to their neighbours and keep the rest of the query', () => {
    const page = offsetPage(URL_OF_LIST, { limit: 10, offset: 15 }, { count: 40, results: [] });
    assert.equal(page.next, 'https://sluice.example/list/?limit=10&offset=25&status=Failed');
    assert.equal(page.previous, 'https://sluice.example/list/?limit=10&offset=5&status=Failed');
  });

  it('by offset have no links beyond the first and the last page', () => {
    const page = offsetPage(URL_OF_LIST, { limit: 10, offset: 0 }, { count: 10, results: [] });
    assert.deepEqual([page.next, page.previous], [null, null]);
    const second = offsetPage(URL_OF_LIST, { limit: 10, offset: 4 }, { count: 10, results: [] });
    assert.equal(second.previous, 'https://sluice.example/list/?limit=10&status=Failed');
  });

  /** Eleven rows, the newest first; two pairs were created in the same microsecond. */
  const rows = Array.from({ length: 11 }, (_, index) => ({
    createdAt: `2015-05-17T10:00:00.0000${String(20 - Math.floor(index / 2)).padStart(2, '0')}Z`,
    id: `00000000-0000-4000-8000-0000000000${String(50 - index)}`,
  }));
  async function load({ limit, olderThan, newerThan }: PageWindow) {
    if (newerThan) return rows.filter((row) => keyOf(row) > keyOf(newerThan)).slice(-limit);
    return rows.filter((row) => !olderThan || keyOf(row) < keyOf(olderThan)).slice(0, limit);
  }
  /** Loads a list whose rows are so large that a page holds two of them at most. */
  const loadLarge = async (place: PageWindow) => {
    const loaded = await load(place);
    const near = (index: number) => (place.newerThan ? loaded.length - 1 - index : index);
    return loaded.map((row, index) => ({ ...row, beyond: near(index) >= 2 })).filter((_, index) => near(index) <= 2);
  };
  const read = (url: string, limit: number, rowsOf = load) => {
    const cursor = new URL(url).searchParams.get('cursor');
    return cursorPage(new URL(url), { limit, ...(cursor !== null && { cursor }) }, rowsOf, ({ id }) => id);
  };

  for (const limit of [1, 3, 10, 11, 12]) {
    it(`by cursor of ${limit} show every row once, forwards and backwards`, async () => {
      const forwards: string[][] = [];
      let page = await read(URL_OF_LIST.href, limit);
      assert.equal(page.previous, null);
      forwards.push(page.results);
      while (page.next !== null) {
        page = await read(page.next, limit);
        forwards.push(page.results);
      }
      assert.deepEqual(
        forwards.flat(),
        rows.map(({ id }) => id),
      );
      const backwards = [page.results];
      while (page.previous !== null) {
        page = await read(page.previous, limit);
        backwards.unshift(page.results);
      }
      assert.deepEqual(backwards.flat(), forwards.flat());
    });
  }

  it('end before a row that would make them too large, forwards and backwards', async () => {
    let page = await read(URL_OF_LIST.href, 5, loadLarge);
    const forwards = [page.results];
    while (page.next !== null) forwards.push((page = await read(page.next, 5, loadLarge)).results);
    assert.deepEqual(
      forwards.map(({ length }) => length),
      [2, 2, 2, 2, 2, 1],
    );
    assert.deepEqual(
      forwards.flat(),
      rows.map(({ id }) => id),
    );
    const backwards = [page.results];
    while (page.previous !== null) backwards.unshift((page = await read(page.previous, 5, loadLarge)).results);
    assert.deepEqual(backwards.flat(), forwards.flat());
  });

  it('keep the rest of the query in the links with their cursors', async () => {
    const { next } = await read(URL_OF_LIST.href, 3);
    assert.match(next ?? '', /^https:\/\/sluice\.example\/list\/\?cursor=[^&]+&status=Failed$/);
  });

  it('refuse a cursor that no page has returned', async () => {
    const id = rows[0]!.id;
    for (const text of [
      '',
      'x',
      '!!',
      btoa('{}'),
      btoa('["olderThan",1,2]'),
      btoa(`["olderThan","2015-02-30T10:00:00.000000Z","${id}"]`),
      btoa(`["olderThan","infinity","${id}"]`),
      btoa(`["other","2015-05-17T10:00:00.000000Z","${id}"]`),
      btoa(`["olderThan","2015-05-17T10:00:00.000000Z","${id.slice(1)}"]`),
      btoa(`["olderThan","2015-05-17T10:00:00.000000Z","\\x"]`),
      btoa(`["olderThan","2015-05-17T10:00:00.000000Z",1]`),
    ]) {
      await assert.rejects(
        cursorPage(URL_OF_LIST, { limit: 1, cursor: text }, load, ({ id }) => id),
        InvalidInput,
      );
    }
  });
});
