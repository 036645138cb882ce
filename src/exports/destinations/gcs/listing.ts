/** Lists the objects of a bucket, page by page. */
import type { GcsClient } from './client.ts';
import { gcsFault } from './faults.ts';

export type Version = { name: string; generation: string };

export type ListOptions = {
  /** Fields of each object, comma-separated; without it the names alone. */
  fields?: string;
  /** Limit of pages; a store that has more is taken for one whose listing never ends. */
  maxPages?: number;
};

/** @param objects path of the bucket's objects @param fail handles the error of a page */
export async function* listObjects(
  client: GcsClient,
  objects: string,
  prefix: string,
  fail: (error: unknown) => never,
  { fields = 'name', maxPages = Infinity }: ListOptions = {},
): AsyncGenerator<Version> {
  for (let [pageToken, pages] = ['', 0]; ; pages++) {
    if (pages === maxPages) throw gcsFault('listing_endless');
    const query = { prefix, fields: `items(${fields}),nextPageToken`, ...(pageToken !== '' && { pageToken }) };
    const path = `${objects}?${new URLSearchParams(query).toString()}`;
    const page = await client.call({ method: 'GET', path }).catch(fail);
    yield* (page['items'] ?? []) as Version[];
    const next = (page['nextPageToken'] as string | undefined) ?? '';
    if (next === '') return;
    if (next === pageToken) throw gcsFault('listing_endless');
    pageToken = next;
  }
}
