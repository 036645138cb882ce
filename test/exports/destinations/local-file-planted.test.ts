/** Links, pipes and folders that others with access to the export folder can plant there. Nothing outside the folder is read, changed or deleted. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { folderQuota } from '../../../src/exports/destinations/local-file/quota.ts';
import { localStore } from '../../../src/exports/destinations/local-file/store.ts';
import { fillUpload } from '../../../src/exports/destinations/object-store/upload.ts';
import { DestinationRejected } from '../../../src/platform/errors.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';

const MIB = 1024 * 1024;
const FILE = '20150517T100000Z-20150517T110000Z.jsonl.gz';
const MANIFEST = '20150517T100000Z-20150517T110000Z_manifest.json';

async function* content() {
  yield Buffer.from('row\n');
}

describe('an export folder in which others plant', () => {
  let root: string;
  let outside: string;
  let inside: (name: string) => string;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-planted-'));
    outside = await mkdtemp(path.join(tmpdir(), 'sluice-outside-'));
    inside = (name) => path.join(root, '7/web', name);
    await mkdir(path.join(root, '7'));
    await writeFile(path.join(outside, 'secret'), 'secret');
  });
  afterEach(async () => {
    await rm(root, { recursive: true });
    await rm(outside, { recursive: true });
  });

  function interval(layout: 'stable' | 'versioned' = 'stable') {
    const environment = { localRoot: root, allowedHosts: [] };
    const config = { directory: 'web', prefix: '', compression: 'gzip', layout };
    return testInterval({ destination: destinationOf('LocalFile', environment), config, environment });
  }
  function store(signal = new AbortController().signal) {
    return localStore({ root, quota: folderQuota(root, undefined), place: 'local:7/web', epoch: 1, signal });
  }
  const untouched = async (names = ['secret']) => {
    assert.deepEqual((await readdir(outside)).sort(), names);
    assert.equal(await readFile(path.join(outside, 'secret'), 'utf8'), 'secret');
  };

  for (const [what, target] of [
    ['a link to a file', () => path.join(outside, 'secret')],
    ['a link to a folder', () => outside],
    ['a link to nothing', () => path.join(outside, 'nothing')],
    ['a link to itself', (name: string) => name],
  ] as const) {
    for (const planted of [FILE, MANIFEST]) {
      it(`refuses ${what} in the place of ${planted === FILE ? 'a file' : 'the manifest'}, and delivers once it is gone`, async () => {
        await mkdir(path.dirname(inside(planted)));
        await symlink(target(inside(planted)), inside(planted));
        const ours = interval();
        await assert.rejects(ours.deliver([buildRows(1)]), DestinationRejected);
        await untouched();
        await rm(inside(planted));
        await ours.deliver([buildRows(1)]);
        await untouched();
      });
    }
  }

  it('refuses to deliver again, to test and to list where its folder has become a link', async () => {
    const ours = interval('versioned');
    await ours.deliver([buildRows(1)]);
    await rename(path.join(root, '7/web'), path.join(outside, 'web'));
    await symlink(path.join(outside, 'web'), path.join(root, '7/web'));
    const before = await readdir(path.join(outside, 'web'));
    await assert.rejects(ours.deliver([buildRows(2)]), DestinationRejected);
    await assert.rejects(store().begin('7/web/sluice-test', 'token'), DestinationRejected);
    await assert.rejects(Array.fromAsync(store().list('7/web/')), DestinationRejected);
    for (const name of before) await assert.rejects(store().remove(`7/web/${name}`), DestinationRejected);
    assert.deepEqual(await readdir(path.join(outside, 'web')), before);
    await untouched(['secret', 'web']);
  });

  it('aborts no upload through a link', async () => {
    const upload = await store().begin('7/web/a.jsonl', 'token');
    await rename(path.join(root, '7/web'), path.join(outside, 'web'));
    await symlink(path.join(outside, 'web'), path.join(root, '7/web'));
    await assert.rejects(store().abort(upload), DestinationRejected);
    assert.equal((await readdir(path.join(outside, 'web'))).length, 1);
  });

  it('deletes a link that was planted for a superseded file, and not what it leads to', async () => {
    const ours = interval('versioned');
    const { receipt } = await ours.deliver([buildRows(1)]);
    await ours.deliver([buildRows(2)]);
    const key = receipt.files![0]!.key;
    await rm(path.join(root, key));
    await symlink(path.join(outside, 'secret'), path.join(root, key));
    assert.equal(await store().remove(key), 'removed');
    await untouched();
  });

  it('counts nothing behind links to the project’s quota', async () => {
    await writeFile(path.join(outside, 'large'), Buffer.alloc(2 * MIB));
    await mkdir(path.join(root, '7/web'));
    await symlink(outside, inside('folder'));
    await symlink(path.join(outside, 'large'), inside('file'));
    await symlink('..', inside('loop'));
    await folderQuota(path.join(root, '7'), 1).charge(MIB);
  });

  it('counts what stays while other folders are deleted', async () => {
    const names = Array.from({ length: 200 }, (_, n) => path.join(root, '8', `f-${n}`));
    for (const name of names) await mkdir(name, { recursive: true });
    await writeFile(path.join(root, '8', 'large'), Buffer.alloc(MIB));
    const charged = folderQuota(path.join(root, '8'), 1).charge(1);
    const deleted = rm(names.at(-1)!, { recursive: true });
    await assert.rejects(charged, DestinationRejected);
    await deleted;
  });

  it('refuses a pipe in the place of a file, without waiting for a writer', async () => {
    await mkdir(path.join(root, '7/web'));
    await promisify(execFile)('mkfifo', [inside(FILE), inside(MANIFEST)]);
    try {
      for (const name of [FILE, MANIFEST]) {
        await assert.rejects(store().head(`7/web/${name}`), DestinationRejected);
        await assert.rejects(store().get(`7/web/${name}`), DestinationRejected);
      }
      await assert.rejects(interval().deliver([buildRows(1)]), DestinationRejected);
    } finally {
      // A reader that waits after all must not keep the process: a writer that comes and goes ends its wait.
      for (const name of [FILE, MANIFEST]) await (await open(inside(name), 'r+')).close();
    }
  });

  it('writes into no pipe that was planted for an upload', async () => {
    const upload = await store().begin('7/web/a.jsonl', 'token');
    await rm(path.join(root, upload.id));
    await promisify(execFile)('mkfifo', [path.join(root, upload.id)]);
    await assert.rejects(fillUpload(store(), upload, content()));
  });
});
