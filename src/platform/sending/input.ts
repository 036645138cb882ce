/** A file or standard input, unpacked when it is gzip. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CommandFailed } from '../errors.ts';

export type Input = {
  /** The content, unpacked. @throws CommandFailed when it cannot be read, or is broken gzip */
  bytes: AsyncIterable<Buffer>;
  /** Size as stored; undefined for standard input. */
  totalBytes: number | undefined;
  /** Bytes read so far, as stored. */
  bytesRead(): number;
};

/**
 * @param file a path, or `-` for standard input
 * @throws CommandFailed when there is no such file
 */
export async function openInput(file: string, standardInput: AsyncIterable<Buffer> = process.stdin): Promise<Input> {
  const totalBytes = file === '-' ? undefined : await findSize(file);
  const bytes = file === '-' ? standardInput : (createReadStream(file) as AsyncIterable<Buffer>);
  let bytesRead = 0;
  async function* countBytes(): AsyncGenerator<Buffer> {
    for await (const block of bytes) {
      bytesRead += block.length;
      yield block;
    }
  }
  return { bytes: explainFailures(file, unpack(countBytes())), totalBytes, bytesRead: () => bytesRead };
}

async function findSize(file: string): Promise<number> {
  const fileStat = await stat(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(
      `${file} cannot be read (${error.code}). Give the path of a file, or - for standard input.`,
    );
  });
  if (fileStat.isDirectory())
    throw new CommandFailed(`${file} is a folder. Give the path of a file, or - for standard input.`);
  return fileStat.size;
}

/** Gzip is known by its first two bytes, not by the file's name. */
async function* unpack(bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let start = Buffer.alloc(0);
  while (start.length < 2) {
    const next = await bytes.next();
    if (next.done) break;
    start = Buffer.concat([start, next.value]);
  }
  async function* streamWithHead(): AsyncGenerator<Buffer> {
    yield start;
    yield* bytes;
  }
  const isGzip = start[0] === 0x1f && start[1] === 0x8b;
  yield* isGzip ? gunzip(streamWithHead()) : streamWithHead();
}

/** A broken archive surfaces where the stream is read, hence the empty callback. */
function gunzip(compressed: AsyncGenerator<Buffer>): AsyncIterable<Buffer> {
  return pipeline(Readable.from(compressed), createGunzip(), () => {});
}

async function* explainFailures(file: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* bytes;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CommandFailed(
      `${file} could not be read to its end (${code ?? message}). Run the command again with a complete file: nothing is stored twice.`,
      { cause: error },
    );
  }
}
