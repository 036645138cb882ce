/** An event on its way: JSON text that names its uuid, and the line that it came from. */
export type Outgoing = { line: number; json: string };

export type BatchLimits = { events: number; bytes: number };

/** Groups events, in order, into batches that keep both limits; an event larger than `bytes` travels alone. */
export async function* batches(events: AsyncIterable<Outgoing>, limits: BatchLimits): AsyncGenerator<Outgoing[]> {
  let batch: Outgoing[] = [];
  let bytes = 0;
  for await (const event of events) {
    const isFull = batch.length >= limits.events || bytes + event.json.length > limits.bytes;
    if (isFull && batch.length > 0) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(event);
    bytes += event.json.length;
  }
  if (batch.length > 0) yield batch;
}
