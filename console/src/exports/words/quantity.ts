/** @returns as `1 row` and `1,200 rows`; without `many`, the plural ends in `s` */
export const quantity = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
