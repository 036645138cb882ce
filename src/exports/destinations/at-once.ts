/** Makes many calls to a destination, a few at a time. */

/** Limit of simultaneous calls for one delivery; a worker makes a few deliveries at a time. */
const CALLS_AT_ONCE = 8;

/**
 * Does the work for each item, several at once, begun in order. After a failure no more work begins; the failure is thrown once all work
 * in progress has ended, so none continues in the background.
 * @param atOnce limit of items that are worked on at the same time
 * @returns the results in the order of the items
 */
export async function severalAtOnce<T, R>(
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
  atOnce = CALLS_AT_ONCE,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  const takeItems = async () => {
    while (next < items.length && failures.length === 0) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, index);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, takeItems));
  if (failures.length > 0) throw failures[0];
  return results;
}
