/**
 * Downloads the `temporal` program of one version, as Temporal publishes it, and checks it against a checksum kept here. The SDK's own download
 * (`@temporalio/testing`) takes whatever version its service names, checks nothing, and starts the server with arguments of its own.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommandFailed } from '../errors.ts';

const VERSION = '1.5.1';
/** SHA-256 of the archives, by `process.platform` and `process.arch`. Temporal lists them in the release's `checksums.txt`. */
const ARCHIVES: Record<string, { name: string; sha256: string }> = {
  'linux-x64': { name: 'linux_amd64', sha256: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d' },
  'linux-arm64': { name: 'linux_arm64', sha256: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5' },
  'darwin-x64': { name: 'darwin_amd64', sha256: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9' },
  'darwin-arm64': { name: 'darwin_arm64', sha256: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415' },
};
/** Several times the size of the archive. */
const MAX_BYTES = 500 * 1024 ** 2;
/** Time without a byte after which the connection counts as lost. */
const STALL_MS = 30_000;

export type Archive = { url: string; sha256: string; stallMs?: number };

/** The archive for this machine; undefined: Temporal publishes none. */
export function publishedArchive(
  platform: string = process.platform,
  arch: string = process.arch,
): Archive | undefined {
  const archive = ARCHIVES[`${platform}-${arch}`];
  if (!archive) return undefined;
  const file = `temporal_cli_${VERSION}_${archive.name}.tar.gz`;
  return { url: `https://github.com/temporalio/cli/releases/download/v${VERSION}/${file}`, sha256: archive.sha256 };
}

type Download = {
  archive: Archive;
  /** Gets the program; nothing else stays in it. */
  folder: string;
  /** Gets the bytes that have arrived, and how many there are in all where the server says so. */
  onBytes: (received: number, all: number | undefined) => void;
  signal?: AbortSignal | undefined;
};

/**
 * The archive is unpacked only after its checksum was compared, and is removed in every case.
 * @throws CommandFailed with the reason: no network, an answer other than 200, a connection that ended or stalled, another checksum
 */
export async function downloadTemporal({ archive, folder, onBytes, signal }: Download): Promise<void> {
  const file = path.join(folder, 'temporal.tar.gz');
  try {
    const sha256 = await fetchTo(file, { archive, onBytes, signal });
    if (sha256 !== archive.sha256)
      throw new CommandFailed(
        `${archive.url} is not the file that this version of Sluice expects (SHA-256 ${sha256}).`,
      );
    await promisify(execFile)('tar', ['-xzf', file, '-C', folder, 'temporal']).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailed(`tar could not unpack ${archive.url} (${error.code}).`);
    });
  } finally {
    await rm(file, { force: true });
  }
}

/** @returns the SHA-256 of what was written */
async function fetchTo(
  file: string,
  { archive: { url, stallMs = STALL_MS }, onBytes, signal }: Pick<Download, 'archive' | 'onBytes' | 'signal'>,
): Promise<string> {
  const { host } = new URL(url);
  const stall = new AbortController();
  const timer = setTimeout(() => stall.abort(), stallMs);
  const output = await open(file, 'wx', 0o600);
  const hash = createHash('sha256');
  let received = 0;
  try {
    const answer = await fetch(url, { signal: AbortSignal.any([stall.signal, ...(signal ? [signal] : [])]) });
    if (answer.status !== 200) throw new CommandFailed(`${host} answered ${answer.status} for ${url}.`);
    const all = Number(answer.headers.get('content-length')) || undefined;
    for await (const chunk of answer.body!) {
      timer.refresh();
      received += chunk.length;
      if (received > MAX_BYTES) throw new CommandFailed(`${url} is larger than ${MAX_BYTES} bytes.`);
      hash.update(chunk);
      await output.writeFile(chunk).catch((error: unknown) => {
        throw new CommandFailed(`${file} could not be written (${codeOf(error)}).`);
      });
      onBytes(received, all);
    }
    return hash.digest('hex');
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof CommandFailed) throw error;
    if (stall.signal.aborted) throw new CommandFailed(`${host} sent nothing for ${stallMs / 1000} s.`);
    if (received > 0)
      throw new CommandFailed(`The connection to ${host} ended after ${received} bytes (${codeOf(error)}).`);
    throw new CommandFailed(`${host} cannot be reached (${codeOf(error)}).`);
  } finally {
    clearTimeout(timer);
    await output.close();
  }
}

function codeOf(error: unknown): string {
  const { code, cause } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  return code ?? cause?.code ?? 'no code';
}
