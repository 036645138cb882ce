/** Splits a sequence into batches of at most `size` items. */
export function* batchesOf<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let batch: T[] = [];
  for (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Splits a sequence into batches, the first of `first` items, and each four times as large as the one before, up to `most`. */
export function* growingBatchesOf<T>(all: Iterable<T>, first: number, most: number): Generator<T[]> {
  let [batch, size]: [T[], number] = [[], Math.min(first, most)];
  for (const one of all) {
    batch.push(one);
    if (batch.length < size) continue;
    yield batch;
    [batch, size] = [[], Math.min(size * 4, most)];
  }
  if (batch.length > 0) yield batch;
}
