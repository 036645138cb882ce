/** How the `temporal` program is found, downloaded and built, with a server on loopback in place of the one that publishes it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CommandFailed } from '../../../src/platform/errors.ts';
import { freePort } from '../../../src/platform/processes/port.ts';
import { publishedArchive } from '../../../src/platform/temporal/dev-server-download.ts';
import { temporalProgram, type Machine } from '../../../src/platform/temporal/dev-server-program.ts';

async function writeScript(folder: string, name: string, body: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, name), `#!/bin/sh\n${body}\n`);
  await chmod(path.join(folder, name), 0o755);
}

describe('the program of the embedded Temporal server', () => {
  let scratch: string;
  let machine: Machine & { archive: NonNullable<Machine['archive']> };
  let bytes: Buffer;
  let server: Server;
  let answer: RequestListener;
  let requests: number;

  before(async () => {
    server = createServer((request, response) => {
      requests += 1;
      answer(request, response);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  beforeEach(async () => {
    scratch = await mkdtemp(path.join(tmpdir(), 'sluice-test-program-'));
    const [onPath, cache] = [path.join(scratch, 'path'), path.join(scratch, 'cache/bin')];
    await mkdir(onPath);
    await writeFile(path.join(scratch, 'LICENSE'), 'of the archive');
    await writeScript(scratch, 'temporal', 'echo downloaded');
    await promisify(execFile)('tar', ['-czf', 'archive.tar.gz', 'LICENSE', 'temporal'], { cwd: scratch });
    bytes = await readFile(path.join(scratch, 'archive.tar.gz'));
    requests = 0;
    answer = (_request, response) => response.end(bytes);
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/temporal.tar.gz`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    machine = { folders: [onPath, cache], cache, archive: { url, sha256 } };
  });
  afterEach(() => rm(scratch, { recursive: true, force: true }));

  /** Runs the program and returns its output. */
  async function found(): Promise<string> {
    return (await promisify(execFile)(await temporalProgram({ machine }))).stdout.trim();
  }

  async function failure(): Promise<string> {
    const error = await temporalProgram({ machine }).then(
      () => assert.fail('a program was found'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof CommandFailed, String(error));
    assert.deepEqual(await readdir(machine.cache), [], 'nothing stays in the cache');
    return error.message;
  }

  it('is the one on PATH, else that in the cache, else a download, which then is in the cache', async () => {
    const messages: string[] = [];
    const program = await temporalProgram({ machine, onProgress: (message) => messages.push(message) });
    assert.equal(program, path.join(machine.cache, 'temporal'));
    assert.match(messages.join(), /^downloading the Temporal server from 127\.0\.0\.1:\d+, once$/);
    assert.deepEqual(await readdir(machine.cache), ['temporal']);
    assert.deepEqual([await found(), requests], ['downloaded', 1]);
    await writeScript(machine.folders[0]!, 'temporal', 'echo path');
    assert.deepEqual([await found(), requests], ['path', 1]);
  });

  it('is built by Go where the download fails, with the reason', async () => {
    answer = (_request, response) => response.writeHead(404).end();
    await writeScript(
      machine.folders[0]!,
      'go',
      `cp ${scratch}/temporal "$GOBIN" && echo 'echo built' > "$GOBIN/temporal"`,
    );
    const messages: string[] = [];
    await temporalProgram({ machine, onProgress: (message) => messages.push(message) });
    assert.match(messages[1]!, /answered 404 for http:/);
    assert.match(messages[2]!, /^building the Temporal server with Go/);
    assert.equal((await found()).trim(), 'built');
  });

  it('names all ways out without a network, without Go, and where Go fails', async () => {
    machine.archive.url = `http://127.0.0.1:${await freePort()}/temporal.tar.gz`;
    assert.match(
      await failure(),
      /^There is no Temporal server on this machine\. 127\.0\.0\.1:\d+ cannot be reached \(ECONNREFUSED\)\. Go, .* is not installed\. Start again with a network, or .* TEMPORAL_ADDRESS/,
    );
    machine.archive.url = 'http://temporal.invalid/temporal.tar.gz';
    assert.match(await failure(), /temporal\.invalid cannot be reached \(E(NOTFOUND|AI_AGAIN)\)/);
    await writeScript(machine.folders[0]!, 'go', 'echo "lookup proxy.golang.org: no such host" >&2; exit 1');
    assert.match(
      await failure(),
      /cannot be reached .*Go could not build Temporal: lookup proxy\.golang\.org[^]*Start again/,
    );
  });

  it('is refused with another checksum, before anything is unpacked', async () => {
    bytes = Buffer.concat([bytes, Buffer.from('x')]);
    assert.match(await failure(), /is not the file that this version of Sluice expects \(SHA-256 [0-9a-f]{64}\)/);
  });

  it('is refused where the connection ends early, or where nothing more comes', async () => {
    const half = bytes.subarray(0, bytes.length / 2);
    answer = (_request, response) => {
      response.writeHead(200, { 'content-length': bytes.length });
      response.write(half, () => response.destroy());
    };
    assert.match(await failure(), new RegExp(`ended after ${half.length} bytes \\(UND_ERR_SOCKET\\)`));
    answer = (_request, response) => void response.writeHead(200).write(half);
    machine.archive.stallMs = 200;
    assert.match(await failure(), /sent nothing for 0\.2 s/);
    answer = () => {};
    assert.match(await failure(), /sent nothing for 0\.2 s/);
  });

  it('is no longer waited for once the start is interrupted', async () => {
    const interruption = new AbortController();
    answer = () => interruption.abort(new Error('interrupted'));
    await assert.rejects(temporalProgram({ machine, signal: interruption.signal }), /interrupted/);
    assert.deepEqual(await readdir(machine.cache), []);
  });

  it('is published for Linux and macOS on both kinds of processors', () => {
    const urls = ['linux', 'darwin'].flatMap((platform) =>
      ['x64', 'arm64'].map((arch) => publishedArchive(platform, arch)!.url.split('/').at(-1)),
    );
    assert.deepEqual(
      urls,
      ['linux_amd64', 'linux_arm64', 'darwin_amd64', 'darwin_arm64'].map((name) => `temporal_cli_1.5.1_${name}.tar.gz`),
    );
    assert.equal(publishedArchive('win32', 'x64'), undefined);
  });
});
