/** Faults of the export folder, met on real folders. */
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { localStore } from '../../../src/exports/destinations/local-file/store.ts';
import { folderQuota } from '../../../src/exports/destinations/local-file/quota.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';
import { faultIn } from '../../support/exports/provoked-faults.ts';

describe('a fault of the export folder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-local-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  async function codeOf(change: object = {}, elsewhere: object = {}): Promise<string> {
    const environment = { localRoot: root, allowedHosts: [], ...elsewhere };
    const config = { directory: 'web', prefix: '', layout: 'versioned', ...change };
    const destination = destinationOf('LocalFile', { localRoot: root, allowedHosts: [] });
    const interval = testInterval({ destination, config, environment });
    return (await faultIn('LocalFile', interval.deliver([buildRows(2)]))).code;
  }

  it('is reported for a file where its folder should be', async () => {
    await mkdir(path.join(root, '7'));
    await writeFile(path.join(root, '7/web'), 'a file');
    assert.equal(await codeOf(), 'directory_not_a_folder');
  });

  it('is reported for a link where its folder should be', async () => {
    await mkdir(path.join(root, '7'));
    await symlink(tmpdir(), path.join(root, '7/web'));
    assert.equal(await codeOf(), 'directory_not_a_folder');
  });

  it('is reported for a root that is a file', async () => {
    await writeFile(path.join(root, 'file'), 'a file');
    assert.equal(await codeOf({}, { localRoot: path.join(root, 'file') }), 'root_not_a_folder');
  });

  it('is reported for a key that leads out', async () => {
    const { signal } = new AbortController();
    const store = localStore({ root, quota: folderQuota(root, undefined), place: 'local:7/web', epoch: 1, signal });
    assert.equal((await faultIn('LocalFile', store.begin('7/../../x', 'token'))).code, 'directory_outside');
  });

  it('is reported for more than the project may take', async () => {
    await mkdir(path.join(root, '7'));
    await writeFile(path.join(root, '7/full'), Buffer.alloc(1024 * 1024));
    assert.equal(await codeOf({}, { localQuotaMb: 1 }), 'project_quota_exceeded');
  });

  it('is reported for an installation without the folder', async () => {
    assert.equal(await codeOf({}, { localRoot: undefined }), 'local_files_off');
  });

  it('is reported for a manifest of another export', async () => {
    const environment = { localRoot: root, allowedHosts: [] };
    const destination = destinationOf('LocalFile', environment);
    const config = { directory: 'web', prefix: '', layout: 'versioned' };
    await testInterval({ destination, config, environment }).deliver([buildRows(2)]);
    assert.equal(await codeOf(), 'manifest_foreign');
  });
});
