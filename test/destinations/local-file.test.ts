import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { destinationOf, destinations } from '../../src/destinations/index.ts';
import { folderQuota } from '../../src/destinations/local-file/quota.ts';
import { localStore } from '../../src/destinations/local-file/store.ts';
import { DestinationRejected, InvalidInput } from '../../src/errors.ts';
import { buildRows, testInterval } from '../support/deliveries.ts';
import { itKeepsTheContract, type TestPlace } from '../support/destination-contract.ts';
import { readInterval, snapshotOf, type Objects } from '../support/file-reader.ts';

async function makePlace(config: Record<string, unknown> = {}): Promise<TestPlace & { root: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'sluice-local-'));
  const environment = { localRoot: root, allowedHosts: [] };
  async function everyFile(): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  }
  async function objects(): Promise<Objects> {
    const files = (await everyFile()).filter((file) => !file.endsWith('.tmp')).sort();
    return new Map(
      await Promise.all(files.map(async (file) => [path.relative(root, file), await readFile(file)] as const)),
    );
  }
  const dataFile = async () => (await everyFile()).filter((file) => file.includes('-0.jsonl'))[0]!;
  return {
    root,
    destination: destinationOf('LocalFile', environment),
    config: {
      directory: 'web',
      prefix: 'year={year}/{table}',
      file_format: 'JSONLines',
      compression: 'gzip',
      max_file_size_mb: null,
      ...config,
    },
    environment,
    snapshot: async () => snapshotOf(await objects()),
    read: () => readInterval(objects),
    leftovers: async () => (await everyFile()).filter((file) => file.endsWith('.tmp')).length,
    damages: [
      { name: 'missing file', inflict: async () => rm(await dataFile()) },
      { name: 'changed file', inflict: async () => writeFile(await dataFile(), 'x') },
      {
        name: 'one changed byte',
        async inflict() {
          const file = await dataFile();
          const bytes = await readFile(file);
          bytes[bytes.length - 9]! ^= 1;
          await writeFile(file, bytes);
        },
      },
    ],
    stop: () => rm(root, { recursive: true, force: true }),
  };
}

const MIB = 1024 * 1024;
/** The n-th MiB of an upload. */
const piece = (number: number) => ({ number, offset: (number - 1) * MIB, bytes: Buffer.alloc(MIB) });

describe('LocalFile', () => {
  itKeepsTheContract(makePlace);

  it('exists only where the operator gave it a root', () => {
    assert.ok(!destinations({ localRoot: undefined, allowedHosts: [] }).some(({ type }) => type === 'LocalFile'));
    assert.throws(() => destinationOf('LocalFile', { localRoot: undefined, allowedHosts: [] }), InvalidInput);
  });

  it('names files by project, directory, prefix and interval, and lists them in the manifest', async () => {
    const place = await makePlace();
    const { receipt } = await testInterval(place).deliver([buildRows(1)]);
    await place.stop();
    assert.deepEqual(
      receipt.files?.map(({ key }) => key),
      ['7/web/year=2015/events/20150517T100000Z-20150517T110000Z.jsonl.gz'],
    );
    assert.equal(receipt.manifest, '7/web/year=2015/events/20150517T100000Z-20150517T110000Z_manifest.json');
    assert.equal(receipt.location, '7/web/year=2015/events/');
  });

  it('refuses the place of another export', async () => {
    const place = await makePlace();
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await place.snapshot(), before);
    await place.stop();
  });

  it('says what to do when a folder is where its file should be', async () => {
    const place = await makePlace();
    try {
      const store = localStore({
        root: place.root,
        quota: folderQuota(place.root, undefined),
        epoch: 1,
        signal: new AbortController().signal,
      });
      const upload = await store.begin('1/web/a.jsonl', 'token');
      await mkdir(path.join(place.root, '1/web/a.jsonl'));
      const said = {
        name: 'DestinationRejected',
        message: 'The directory or prefix cannot be used. Choose another one.',
      };
      await assert.rejects(
        store.complete({ ...upload, parts: [], bytes: 0, sha256: '', identity: '', checksum: null }),
        said,
      );
      await assert.rejects(store.head('1/web/a.jsonl'), said);
    } finally {
      await place.stop();
    }
  });

  describe('where a project may take 2 MiB', () => {
    const tooMany = { name: 'DestinationRejected', message: /more than the 2 MiB that it has in the export folder/ };
    let place: Awaited<ReturnType<typeof makePlace>>;
    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.stop());

    it('takes no more, whoever wrote what is there', async () => {
      const folder = path.join(place.root, '1');
      await mkdir(path.join(folder, 'web'), { recursive: true });
      await writeFile(path.join(folder, 'web', 'a.jsonl'), Buffer.alloc(MIB));
      const quota = folderQuota(folder, 2);
      await quota.charge(MIB / 2);
      await assert.rejects(folderQuota(folder, 2).charge(MIB / 2 + 1), tooMany);
      await rm(path.join(folder, 'web', 'a.jsonl'));
      await quota.charge(2 * MIB);
    });

    it('takes what fits of another project, and everything where there is no limit', async () => {
      await mkdir(path.join(place.root, '1'), { recursive: true });
      await writeFile(path.join(place.root, '1', 'a.jsonl'), Buffer.alloc(2 * MIB));
      await assert.rejects(folderQuota(path.join(place.root, '1'), 2).charge(1), tooMany);
      await folderQuota(path.join(place.root, '2'), 2).charge(2 * MIB);
      await folderQuota(path.join(place.root, '1'), undefined).charge(100 * MIB);
    });

    it('writes no piece that is too many', async () => {
      const quota = folderQuota(path.join(place.root, '1'), 2);
      const store = localStore({ root: place.root, quota, epoch: 1, signal: new AbortController().signal });
      const upload = await store.begin('1/web/b.jsonl', 'token');
      await store.putPart(upload, piece(1));
      await store.putPart(upload, piece(2));
      await assert.rejects(store.putPart(upload, piece(3)), tooMany);
    });
  });

  it('does not follow links out of its root', async () => {
    const place = await makePlace();
    const outside = await mkdtemp(path.join(tmpdir(), 'sluice-outside-'));
    await mkdir(path.join(place.root, '7'));
    await symlink(outside, path.join(place.root, '7', 'web'));
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await readdir(outside), []);
    await rm(outside, { recursive: true });
    await place.stop();
  });

  for (const [field, value] of [
    ['directory', '../x'],
    ['directory', '/etc'],
    ['directory', 'a/../../b'],
    ['directory', '/'],
    ['directory', 'a\\b'],
    ['directory', 'a\0b'],
    ['directory', './a'],
    ['prefix', 'a//b'],
    ['prefix', '{foo}'],
    ['prefix', '{__proto__}'],
    ['prefix', '{constructor}'],
    ['prefix', '{year'],
    ['prefix', 'x'.repeat(1025)],
    ['prefix', '\ud800'],
  ] as const) {
    it(`refuses the ${field} ${JSON.stringify(value).slice(0, 30)}`, async () => {
      const place = await makePlace({ [field]: value });
      await assert.rejects(
        place.destination.validate(place.config, place.environment),
        (error) => error instanceof InvalidInput && error.attr === field,
      );
      await place.stop();
    });
  }
});
