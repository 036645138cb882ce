/** A long sequence in pieces of a bounded length, in its order. */
export function* slicesOf<T>(all: Iterable<T>, size: number): Generator<T[]> {
  let slice: T[] = [];
  for (const one of all) {
    slice.push(one);
    if (slice.length < size) continue;
    yield slice;
    slice = [];
  }
  if (slice.length > 0) yield slice;
}
