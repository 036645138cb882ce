/**
 * COPY … TO STDOUT as chunks of the copied bytes.
 *
 * Postgres wraps each row in a message of its own. The driver would make an object for each, which costs more than all the rest of reading.
 * So this takes over the socket while rows arrive, and closes the gaps between them in place.
 * Messages: https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
import type { Duplex } from 'node:stream';
import type { Connection, Submittable } from 'pg';
import type { PoolClient } from '../../platform/db/connection.ts';

/** Type (1 byte) and length (4), which counts itself. */
const MESSAGE_HEADER_BYTES = 5;
const COPY_DATA = 'd'.charCodeAt(0);
/** Types of messages before and between rows that are skipped: CopyOutResponse, notice, parameter, notification. */
const SKIPPED = new Set(Array.from('HNSA', (type) => type.charCodeAt(0)));
/** Size of the waiting chunks from which on the socket is paused, and with it Postgres. */
const WAITING_BYTES = 256 * 1024;

type Listener = (chunk: Buffer) => void;

/**
 * @param sql a whole COPY … TO STDOUT statement
 * @returns the copied bytes; each chunk's memory is the reader's
 * @throws the signal's reason when it is aborted. Then, and when it is left early, the connection is in the middle of the COPY: destroy it
 */
export async function* copyOut(client: PoolClient, sql: string, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
  const copy = client.query(new CopyOut(sql));
  const abort = () => copy.handleError(signal?.reason as Error);
  signal?.addEventListener('abort', abort);
  try {
    for (let chunk = await copy.read(); chunk; chunk = await copy.read()) yield chunk;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

/** A query for the driver, which calls the `handle…` methods. */
class CopyOut implements Submittable {
  readonly #sql: string;
  readonly #messages = new CopyMessages();
  #socket: Duplex | undefined;
  #driver: Listener[] = [];
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #ended = false;
  #error: Error | undefined;
  #wake: () => void = () => {};

  constructor(sql: string) {
    this.#sql = sql;
  }

  submit(connection: Connection): void {
    this.#socket = connection.stream;
    this.#driver = this.#socket.listeners('data') as Listener[];
    this.#socket.removeAllListeners('data');
    this.#socket.on('data', this.#receive);
    connection.query(this.#sql);
  }

  /** The next chunk; undefined after the last, when the connection is ready for another query. */
  async read(): Promise<Buffer | undefined> {
    for (;;) {
      if (this.#error) throw this.#error;
      const chunk = this.#waiting.shift();
      if (chunk) {
        this.#waitingBytes -= chunk.length;
        if (this.#waitingBytes < WAITING_BYTES) this.#socket?.resume();
        return chunk;
      }
      if (this.#ended) return undefined;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  readonly #receive = (chunk: Buffer): void => {
    const { rows, rest } = this.#messages.read(chunk);
    if (rows.length > 0) {
      this.#waiting.push(rows);
      this.#waitingBytes += rows.length;
      if (this.#waitingBytes >= WAITING_BYTES) this.#socket?.pause();
      this.#wake();
    }
    if (rest) this.#giveSocketBack(rest);
  };

  #giveSocketBack(rest: Buffer): void {
    const socket = this.#socket!;
    socket.off('data', this.#receive);
    for (const listener of this.#driver) socket.on('data', listener);
    for (const listener of this.#driver) listener(rest);
    socket.resume();
  }

  handleError(error: Error): void {
    this.#error ??= error;
    this.#wake();
  }

  handleCommandComplete(): void {}

  handleReadyForQuery(): void {
    this.#ended = true;
    this.#wake();
  }
}

/** Takes the rows out of their messages, wherever the chunks are cut. */
class CopyMessages {
  readonly #header = Buffer.alloc(MESSAGE_HEADER_BYTES);
  #headerBytes = 0;
  /** Bytes of the current message that have not come yet. */
  #bodyBytes = 0;
  #isRow = false;

  /**
   * @param chunk is overwritten with the rows' bytes
   * @returns the rows' bytes, and, once a message is neither row nor skipped, that message and all that follows it
   */
  read(chunk: Buffer): { rows: Buffer; rest?: Buffer } {
    let position = 0;
    let filled = 0;
    while (position < chunk.length) {
      if (this.#bodyBytes === 0) {
        position = this.#readHeader(chunk, position);
        if (this.#headerBytes < MESSAGE_HEADER_BYTES) break;
        const type = this.#header[0]!;
        this.#isRow = type === COPY_DATA;
        if (!this.#isRow && !SKIPPED.has(type)) {
          return { rows: chunk.subarray(0, filled), rest: Buffer.concat([this.#header, chunk.subarray(position)]) };
        }
        this.#bodyBytes = this.#header.readUInt32BE(1) - 4;
        this.#headerBytes = 0;
      }
      const end = Math.min(position + this.#bodyBytes, chunk.length);
      if (this.#isRow) {
        chunk.copyWithin(filled, position, end);
        filled += end - position;
      }
      this.#bodyBytes -= end - position;
      position = end;
    }
    return { rows: chunk.subarray(0, filled) };
  }

  /** Collects the five bytes of a header, which may be cut anywhere. @returns the position after them */
  #readHeader(chunk: Buffer, start: number): number {
    let position = start;
    while (this.#headerBytes < MESSAGE_HEADER_BYTES && position < chunk.length) {
      this.#header[this.#headerBytes++] = chunk[position++]!;
    }
    return position;
  }
}
