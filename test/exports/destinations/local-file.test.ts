import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import {
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
  type FileHandle,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { destinationOf, destinations } from '../../../src/exports/destinations/index.ts';
import { folderQuota } from '../../../src/exports/destinations/local-file/quota.ts';
import { localStore, type LocalStoreOptions } from '../../../src/exports/destinations/local-file/store.ts';
import { ObjectChanged } from '../../../src/exports/destinations/object-store/store.ts';
import { fillUpload } from '../../../src/exports/destinations/object-store/upload.ts';
import { DestinationRejected, InvalidInput } from '../../../src/platform/errors.ts';
import { buildRows, freezeAt, testInterval } from '../../support/exports/deliveries.ts';
import { REPLACED_AT_ONCE } from '../../../src/exports/destinations/promises.ts';
import { itKeepsTheContract, type TestPlace } from '../../support/exports/destination-contract.ts';
import { readInterval, snapshotOf, type Objects } from '../../support/exports/file-reader.ts';

async function makePlace(
  config: { layout?: 'stable' | 'versioned' } & Record<string, unknown> = {},
): Promise<TestPlace & { root: string }> {
  const root = await mkdtemp(path.join(tmpdir(), 'sluice-local-'));
  const environment = { localRoot: root, allowedHosts: [] };
  async function everyFile(): Promise<string[]> {
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  }
  async function objects(isWanted = (_key: string) => true): Promise<Objects> {
    const files = (await everyFile()).filter((file) => !file.endsWith('.tmp') && isWanted(file)).sort();
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
    read: () => readInterval(objects, config.layout),
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

/** The files that a reader finds who read the manifest of one delivery, and its files after the next one. */
async function filesBetween(layout: 'stable' | 'versioned'): Promise<'whole' | 'torn'> {
  const place = await makePlace({ layout });
  const interval = testInterval(place);
  const { receipt } = await interval.deliver([buildRows(2), buildRows(2)]);
  const later = interval.plan([buildRows(3), buildRows(3)]);
  await later.commit(await later.write());
  const found = await Promise.all(
    receipt.files!.map(async ({ key, sha256 }) => {
      const bytes = await readFile(path.join(place.root, key));
      return createHash('sha256').update(bytes).digest('hex') === sha256;
    }),
  );
  await place.stop();
  return found.every(Boolean) ? 'whole' : 'torn';
}

function storeOf({ root }: { root: string }, linkFile?: LocalStoreOptions['linkFile']) {
  const quota = folderQuota(root, undefined);
  const { signal } = new AbortController();
  return localStore({ root, quota, place: 'local:1/web', epoch: 1, signal, ...(linkFile && { linkFile }) });
}

async function* content() {
  yield Buffer.from('row\n');
}

describe('LocalFile', () => {
  itKeepsTheContract({ ...REPLACED_AT_ONCE, readers: 'half_while_replaced' }, makePlace);
  describe('with versioned names', () =>
    itKeepsTheContract(REPLACED_AT_ONCE, () => makePlace({ layout: 'versioned' })));
  describe('with the event in stable names', () =>
    itKeepsTheContract({ ...REPLACED_AT_ONCE, readers: 'half_while_replaced' }, () =>
      makePlace({ prefix: 'event={event}/{year}' }),
    ));

  it('leaves no folder of an event when a run is discarded, but those above, and those with something in them', async () => {
    const place = await makePlace({ prefix: 'web/event={event}/{year}', layout: 'versioned' });
    try {
      const folders = async () =>
        (await readdir(path.join(place.root, '7'), { recursive: true })).filter((name) => !name.includes('.')).sort();
      const run = testInterval(place).plan([buildRows(1), buildRows(1), buildRows(1), buildRows(1)]);
      await run.write();
      const found = await folders();
      const events = found.filter((name) => /event=[^/]*$/.test(name));
      assert.ok(events.length > 1);
      await writeFile(path.join(place.root, '7', events[0]!, 'notes.txt'), 'mine');
      assert.deepEqual(await run.discard(), []);
      assert.deepEqual(await folders(), ['web', 'web/web', events[0]]);
    } finally {
      await place.stop();
    }
  });

  describe('while an interval is delivered again, for a reader who has read the manifest and not yet the files', () => {
    it('versioned names still hold all of it', async () => {
      assert.equal(await filesBetween('versioned'), 'whole');
    });

    it('stable names hold other rows, as documented', async () => {
      assert.equal(await filesBetween('stable'), 'torn');
    });
  });

  it('leaves no rows of an earlier delivery to who lists a folder of stable names', async () => {
    const place = await makePlace();
    try {
      const interval = testInterval(place);
      await interval.deliver([buildRows(2), buildRows(1), buildRows(3)]);
      const parts = [buildRows(2), buildRows(1)];
      await interval.deliver(parts);
      const found = await readdir(place.root, { recursive: true });
      const files = found.filter((name) => name.endsWith('.jsonl.gz'));
      assert.equal(files.length, 3);
      const texts = await Promise.all(
        files.map(async (name) => gunzipSync(await readFile(path.join(place.root, name))).toString()),
      );
      const rows = texts.flatMap((text) => text.split('\n').filter(Boolean));
      assert.deepEqual(
        rows.map((row) => (JSON.parse(row) as { uuid: string }).uuid).sort(),
        parts.flatMap((part) => part.map(({ uuid }) => uuid)).sort(),
      );
    } finally {
      await place.stop();
    }
  });

  it('changes the layout with the next plan, and takes nothing from readers of the names before', async () => {
    const place = await makePlace({ layout: 'versioned' });
    const interval = testInterval(place);
    const versioned = await interval.deliver([buildRows(2)]);
    Object.assign(place.config as object, { layout: 'stable' });
    const stable = await interval.deliver([buildRows(3)]);
    assert.deepEqual(await stable.run.verify(stable.receipt, true), []);
    const [kept] = versioned.receipt.files!;
    const bytes = await readFile(path.join(place.root, kept!.key));
    assert.equal(createHash('sha256').update(bytes).digest('hex'), kept!.sha256);
    Object.assign(place.config as object, { layout: 'versioned' });
    const again = await interval.deliver([buildRows(1)]);
    assert.deepEqual(await again.run.verify(again.receipt, true), []);
    assert.deepEqual(again.receipt.files!.map(({ key }) => key).length, 1);
    await place.stop();
  });

  it('forgets what it has discarded when it cannot discard all', async () => {
    const place = await makePlace();
    const interval = testInterval(place);
    const run = interval.plan(Array.from({ length: 250 }, () => buildRows(1)));
    await run.write();
    // An upload that cannot be aborted, among the last: in its place is a folder.
    const uploads = (await readdir(place.root, { recursive: true })).filter((name) => name.includes('-240.'));
    assert.equal(uploads.length, 1);
    const upload = path.join(place.root, uploads[0]!);
    await rm(upload);
    await mkdir(path.join(upload, 'full'), { recursive: true });
    await assert.rejects(run.discard());
    assert.equal(interval.recorded(), 50);
    await rm(upload, { recursive: true });
    await run.discard();
    assert.equal(interval.recorded(), 0);
    await place.stop();
  });

  it('takes away unfinished files of its own names only', async () => {
    const place = await makePlace({ prefix: '' });
    const interval = testInterval(place);
    const run = interval.plan([buildRows(1)]);
    const killed = freezeAt('upload-begun');
    void run.write(killed.steps);
    await killed.reached;
    const folder = path.join(place.root, '7/web');
    const [unfinished] = await readdir(folder);
    const file = '20150517T100000Z-20150517T110000Z.jsonl.gz';
    assert.match(unfinished!, new RegExp(`^[.]${file}[.]1[.][0-9a-f]{16}[.]tmp$`));
    const foreign = [
      unfinished!.replace('.jsonl.gz', '-1.jsonl.gz'),
      unfinished!.replace('.tmp', ''),
      unfinished!.slice(1),
      `.${file}.swp`,
    ].sort();
    for (const name of foreign) await writeFile(path.join(folder, name), 'mine');
    await run.discard();
    assert.deepEqual((await readdir(folder)).sort(), foreign);
    assert.equal(interval.recorded(), 0);
    await place.stop();
  });

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

  for (const { mode, files, folders } of [
    { mode: undefined, files: 0o640, folders: 0o750 },
    { mode: 0o600, files: 0o600, folders: 0o700 },
    { mode: 0o644, files: 0o644, folders: 0o755 },
  ]) {
    it(`gives its files the rights ${files.toString(8)}, where the operator says ${mode?.toString(8) ?? 'nothing'}`, async () => {
      const place = await makePlace();
      const environment = { ...place.environment, localFileMode: mode };
      await testInterval({ ...place, environment }).deliver([buildRows(1)]);
      const entries = await readdir(place.root, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        const { mode: found } = await stat(path.join(entry.parentPath, entry.name));
        const wanted = entry.isDirectory() ? folders : files;
        assert.equal((found & 0o777).toString(8), wanted.toString(8), entry.name);
      }
      assert.ok(entries.length > 4);
      await place.stop();
    });
  }

  it('refuses the place of another export', async () => {
    const place = await makePlace();
    await testInterval(place).deliver([buildRows(1)]);
    const before = await place.snapshot();
    await assert.rejects(testInterval(place).deliver([buildRows(1)]), DestinationRejected);
    assert.deepEqual(await place.snapshot(), before);
    await place.stop();
  });

  it('explains what to do when a folder is where its file should be', async () => {
    const place = await makePlace();
    try {
      const store = localStore({
        root: place.root,
        quota: folderQuota(place.root, undefined),
        place: 'local:1/web',
        epoch: 1,
        signal: new AbortController().signal,
      });
      const upload = await store.begin('1/web/a.jsonl', 'token');
      await mkdir(path.join(place.root, '1/web/a.jsonl'));
      const refusal = {
        name: 'DestinationRejected',
        message: 'The directory or prefix cannot be used. Choose another one.',
      };
      await assert.rejects(
        store.complete({ ...upload, parts: [], bytes: 0, sha256: '', identity: '', checksum: null }),
        refusal,
      );
      await assert.rejects(store.head('1/web/a.jsonl'), refusal);
    } finally {
      await place.stop();
    }
  });

  for (const code of ['EPERM', 'ENOTSUP', 'EMLINK']) {
    it(`makes a file of a new name on a volume without links, and replaces no existing one: ${code}`, async () => {
      const place = await makePlace();
      try {
        const store = storeOf(place, async () => Promise.reject(Object.assign(new Error(code), { code })));
        const firstUpload = await store.begin('1/web/a.jsonl', 'token');
        const second = await fillUpload(store, await store.begin('1/web/a.jsonl', 'token'), content());
        await store.complete(await fillUpload(store, firstUpload, content()), 'absent');
        const name = path.join(place.root, '1/web/a.jsonl');
        assert.equal(await readFile(name, 'utf8'), 'row\n');
        const { ino } = await stat(name);
        await assert.rejects(store.complete(second, 'absent'), ObjectChanged);
        assert.equal((await stat(name)).ino, ino);
        await store.abort(second);
        assert.deepEqual(await readdir(path.dirname(name)), ['a.jsonl']);
      } finally {
        await place.stop();
      }
    });
  }

  describe('where a project may take 2 MiB', () => {
    const tooMany = { name: 'DestinationRejected', message: /more than the 2 MiB that it has in the export folder/ };
    let place: Awaited<ReturnType<typeof makePlace>>;
    beforeEach(async () => {
      place = await makePlace();
    });
    afterEach(() => place.stop());

    it('takes no more, even beside files of other writers', async () => {
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
      const store = localStore({
        root: place.root,
        quota,
        place: 'local:1/web',
        epoch: 1,
        signal: new AbortController().signal,
      });
      const upload = await store.begin('1/web/b.jsonl', 'token');
      await store.putPiece(upload, piece(1));
      await store.putPiece(upload, piece(2));
      await assert.rejects(store.putPiece(upload, piece(3)), tooMany);
    });
  });

  it('has the bytes of a file on disk before its name, and the name before it counts', async () => {
    const place = await makePlace();
    const store = storeOf(place);
    const name = path.join(place.root, '1/web/a.jsonl');
    const upload = await fillUpload(store, await store.begin('1/web/a.jsonl', 'token'), content());
    const synced: { inode: number; isNamed: boolean }[] = [];
    const handle = await open(place.root);
    const handles = Object.getPrototypeOf(handle) as FileHandle;
    await handle.close();
    const { sync } = handles;
    handles.sync = async function (this: FileHandle) {
      synced.push({ inode: (await this.stat()).ino, isNamed: existsSync(name) });
      return sync.call(this);
    };
    try {
      await store.complete(upload);
    } finally {
      handles.sync = sync;
    }
    const [file, folder] = [await stat(name), await stat(path.dirname(name))];
    assert.deepEqual(synced, [
      { inode: file.ino, isNamed: false },
      { inode: folder.ino, isNamed: true },
    ]);
    await place.stop();
  });

  it('takes no keys that lead out of its root', async () => {
    const place = await makePlace();
    await mkdir(path.join(place.root, '1'));
    const beside = path.join(place.root, '..', `${path.basename(place.root)}-beside`);
    for (const key of [`1/../../${path.basename(beside)}/a.jsonl`, '1/../2/a.jsonl', '1/./a.jsonl', '1//a.jsonl']) {
      await assert.rejects(storeOf(place).begin(key, 'token'), DestinationRejected, key);
      await assert.rejects(storeOf(place).head(key), DestinationRejected, key);
    }
    assert.equal(existsSync(beside), false);
    assert.deepEqual(await readdir(place.root), ['1']);
    await place.stop();
  });

  it('reads and writes no file through a link', async () => {
    const place = await makePlace();
    const outside = await mkdtemp(path.join(tmpdir(), 'sluice-outside-'));
    const secret = path.join(outside, 'secret');
    await writeFile(secret, 'secret');
    await mkdir(path.join(place.root, '1'));
    await symlink(outside, path.join(place.root, '1', 'folder'));
    await symlink(secret, path.join(place.root, '1', 'file'));
    const store = storeOf(place);
    for (const key of ['1/folder/secret', '1/file']) {
      await assert.rejects(store.head(key), DestinationRejected, key);
      await assert.rejects(store.get(key), DestinationRejected, key);
      const upload = { key: '1/a.jsonl', id: key, token: 'token' };
      await assert.rejects(store.putPiece(upload, piece(1)), DestinationRejected, key);
    }
    assert.equal(await readFile(secret, 'utf8'), 'secret');
    await rm(outside, { recursive: true });
    await place.stop();
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
