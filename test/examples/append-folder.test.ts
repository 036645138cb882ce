/** The example destination, on a real folder: that a power cut keeps what was committed stays unproven. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { appendFolder } from '../../examples/destination/append-folder.ts';
import { REPLACED_AT_ONCE } from '../../src/exports/destinations/promises.ts';
import { itKeepsTheContract, type TestPlace } from '../support/exports/destination-contract.ts';

const isStaged = (file: string) => file.includes('/.staged/');

async function makePlace(): Promise<TestPlace> {
  const root = await mkdtemp(path.join(tmpdir(), 'sluice-append-'));
  async function filesIn(isWanted: (file: string) => boolean): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
    return files.filter(isWanted).sort();
  }
  const delivered = () => filesIn((file) => !isStaged(file));
  /** By the readers' rule: the highest number. The suite delivers one data interval, at most nine times. */
  const newest = async () => (await delivered()).at(-1);
  return {
    destination: appendFolder,
    config: { folder: 'web' },
    environment: { localRoot: root, allowedHosts: [] },
    file: { compression: null },
    async snapshot() {
      const files = await delivered();
      return Object.fromEntries(await Promise.all(files.map(async (file) => [file, await readFile(file, 'utf8')])));
    },
    async read() {
      const file = await newest();
      if (!file) return undefined;
      const [, ...rows] = (await readFile(file, 'utf8')).split('\n').filter(Boolean);
      return rows.map((row) => (JSON.parse(row) as { uuid: string }).uuid).sort();
    },
    leftovers: async () => (await filesIn(isStaged)).length,
    isSearchable: false,
    damages: [
      { name: 'missing file', inflict: async () => rm((await newest())!) },
      { name: 'changed file', inflict: async () => writeFile((await newest())!, 'x') },
      {
        name: 'one changed byte',
        deepOnly: true,
        async inflict() {
          const bytes = await readFile((await newest())!);
          bytes[bytes.length - 9]! ^= 1;
          await writeFile((await newest())!, bytes);
        },
      },
    ],
    stop: () => rm(root, { recursive: true, force: true }),
  };
}

describe('the example of a destination, which appends NDJSON to a folder', () =>
  itKeepsTheContract(REPLACED_AT_ONCE, makePlace));
