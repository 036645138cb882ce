/**
 * Everything that production has, on this machine: two APIs, two workers, source and destination Postgres apart, Temporal with its
 * state in a file, the stores and the catalog of the places, a disk of its own for local files, a receiver of webhooks.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { environmentWith } from '../../src/platform/config.ts';
import { createKnex } from '../../src/platform/db/connection.ts';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/platform/db/embedded-postgres.ts';
import { keyStore } from '../../src/people/keys/keys.store.ts';
import { freePort } from '../../src/platform/processes/port.ts';
import { generateKeyRing } from '../../src/platform/secrets/key-ring.ts';
import { startTemporalDevServer, type TemporalDevServer } from '../../src/platform/temporal/dev-server.ts';
import { buildTenant } from '../support/api/identity.ts';
import { startWebhookReceiver } from '../support/servers/webhook-receiver.ts';
import type { PlaceType } from './fleet.ts';
import { RETENTION_DAYS } from './housekeeping.ts';
import { foreignWriter, icebergCatalog } from './lake-servers.ts';
import { end, isAnswering, LAUNCHER, program, serverProcess, type ServerProcess } from './server-process.ts';
import { azureStore, gcsStore, objectStore } from './store-servers.ts';

const run = promisify(execFile);
const NAMESPACE = 'sluice';
/** A ninth of Temporal's own limit: whatever of ours grows with time or with parts has to stay below. */
const MAX_HISTORY_EVENTS = 5_500;
/** Room for the rows of one run of chaos many times over, and little enough to be filled at once. */
const DISK_MB = 256;

export type Installation = Awaited<ReturnType<typeof install>>;

/**
 * @param launcher of the version that migrates the source, and that APIs and workers have
 * @throws Error when a server does not start; those that did are ended
 */
export async function install(types: readonly PlaceType[], launcher = LAUNCHER) {
  const folder = await mkdtemp(path.join(tmpdir(), 'sluice-chaos-'));
  const started = new AsyncDisposableStack();
  try {
    return await startAll(folder, started, types, launcher);
  } catch (error) {
    await started.disposeAsync();
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function startAll(folder: string, started: AsyncDisposableStack, types: readonly PlaceType[], launcher: string) {
  const running = <S extends ServerProcess>(server: S) => started.adopt(server, end);
  // Under root Postgres is another user, and would keep its cluster elsewhere.
  await chmod(folder, 0o755);
  const clock = await stepableClock(folder);
  const source = running(await database(path.join(folder, 'source'), clock?.environment));
  const destination = running(await database(path.join(folder, 'destination')));
  const temporal = running(await temporalServer(path.join(folder, 'temporal')));
  const objects = running(await objectStore(folder));
  started.defer(() => objects.client.destroy());
  const gcs = types.includes('GCS') ? started.use(await gcsStore()) : undefined;
  const azure = types.includes('AzureBlob') ? started.use(await azureStore()) : undefined;
  const lake = types.includes('Iceberg')
    ? running(await icebergCatalog(folder, destination.url(), objects))
    : undefined;
  const foreign = lake && foreignWriter(lake.table);
  const disk = await localDisk(path.join(folder, 'exports'));
  started.defer(() => disk.remove());
  const webhooks = await startWebhookReceiver();
  started.defer(webhooks.stop);
  await run(process.execPath, [launcher, 'migrate'], { env: environmentWith({ DATABASE_URL: source.url() }) });
  const { projectId, token, key } = await tenant(source.url());

  const shared = {
    DATABASE_URL: source.url(),
    TEMPORAL_ADDRESS: temporal.address(),
    TEMPORAL_NAMESPACE: NAMESPACE,
    SLUICE_ENCRYPTION_KEYS: generateKeyRing(),
    SLUICE_HOST: '127.0.0.1',
    EXPORT_LOCAL_ROOT: disk.folder,
    EXPORT_ALLOWED_HOSTS: '127.0.0.1,localhost',
    KEY_REQUESTS_PER_MINUTE: '100000',
    KEY_REQUESTS_PER_HOUR: '1000000',
    RETENTION_EVENT_DAYS: String(RETENTION_DAYS),
    LOG_LEVEL: 'info',
  };
  const apis = await Promise.all([1, 2].map((number) => api(folder, number, shared, launcher)));
  const workers = [1, 2].map((number) => worker(folder, number, shared, launcher));
  for (const server of [...apis, ...workers]) await running(server).start();

  const places: (ServerProcess | undefined)[] = [objects, gcs, azure, lake];
  const servers: ServerProcess[] = [...apis, ...workers, source, destination, temporal, ...places].filter(
    (server) => server !== undefined,
  );
  return {
    folder,
    servers,
    apis,
    workers,
    /** An API and a worker of another version, not started yet. */
    async ofVersion(other: string, number: number) {
      const added = { api: await api(folder, number, shared, other), worker: worker(folder, number, shared, other) };
      running(added.api);
      running(added.worker);
      return added;
    },
    apiUrls: apis.map(({ url }) => url),
    source,
    destination,
    temporal,
    objects,
    gcs,
    azure,
    lake,
    foreign,
    disk,
    clock,
    environment: environmentWith(shared),
    webhooks,
    projectId,
    token,
    key,
    async close({ keep }: { keep: boolean }) {
      disk.keep = keep;
      await started.disposeAsync();
      if (!keep) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function tenant(url: string) {
  const db = createKnex({ url, applicationName: 'chaos' });
  try {
    const { projectId, apiToken: token } = await buildTenant(db, { historicalFromProjectKey: true });
    const { key } = await keyStore(db).create({ projectId }, { label: 'chaos', scopes: ['*'] });
    return { projectId, token, key };
  } finally {
    await db.destroy();
  }
}

/** Where libfaketime is installed (Debian's package `faketime`): the clock of a process that is told to look at a file. */
const FAKETIME = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`);

async function stepableClock(folder: string) {
  const library = FAKETIME.find(existsSync);
  if (library === undefined) {
    if (process.env['SLUICE_REQUIRE'] === 'all') throw new Error('faketime is not installed: CONTRIBUTING.md says how');
    console.log('left out: clocks that step, because faketime is not installed');
    return undefined;
  }
  const file = path.join(folder, 'clock');
  const set = (seconds: number) => writeFile(file, `${seconds < 0 ? '' : '+'}${seconds}s\n`);
  await set(0);
  return {
    /** How far the clock is ahead from now on. */
    set,
    environment: {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
  };
}

async function database(directory: string, environment: Record<string, string> = {}) {
  const begin = (port: number) => startEmbeddedPostgres({ directory, port, durable: true, environment });
  let server: EmbeddedPostgres = await begin(0);
  const { port, url } = server;
  const pid = async () =>
    Number((await readFile(path.join(directory, 'data', 'postmaster.pid'), 'utf8')).split('\n')[0]);
  const control = {
    async start() {
      // Sessions of a server that was killed take a moment to notice, and keep its memory until then.
      for (let attempt = 1; ; attempt++) {
        try {
          server = await begin(port);
          return;
        } catch (error) {
          if (attempt === 40) throw error;
          await sleep(250);
        }
      }
    },
    pid,
    kill: () => server.stop('immediate'),
  };
  const data = path.join(directory, 'data');
  const copy = path.join(directory, 'copy');
  return {
    ...serverProcess(path.basename(directory), control),
    url: () => url,
    /** Keeps the data folder as it is now, as a snapshot of the disk would. */
    async snapshot() {
      await control.kill();
      await rm(copy, { recursive: true, force: true });
      await run('cp', ['-a', data, copy]);
      await control.start();
    },
    /** Takes the data folder back to the snapshot. */
    async restore() {
      await control.kill();
      await rm(data, { recursive: true, force: true });
      await run('cp', ['-a', copy, data]);
      await control.start();
    },
  };
}

async function temporalServer(directory: string) {
  const start = (port: number, uiPort: number) =>
    startTemporalDevServer({
      directory,
      port,
      uiPort,
      namespace: NAMESPACE,
      persistent: true,
      dynamicConfig: [`limit.historyCount.error=${MAX_HISTORY_EVENTS}`],
    });
  const [port, uiPort] = [await freePort(), await freePort()];
  let server: TemporalDevServer = await start(port, uiPort);
  const control = {
    async start() {
      server = await start(port, uiPort);
    },
    pid: async () => Number(await readFile(path.join(directory, 'temporal.pid'), 'utf8')),
    kill: () => server.stop('immediate'),
  };
  return { ...serverProcess('temporal', control), address: () => server.address, namespace: NAMESPACE };
}

/** A small file system of its own, so that it can be full; a plain folder where mounting is not allowed. */
async function localDisk(folder: string) {
  await mkdir(folder);
  const mounted = await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder]).then(
    () => true,
    () => false,
  );
  if (!mounted) console.log('left out: a full disk, because nothing can be mounted here');
  const filler = path.join(folder, 'filler');
  return {
    folder,
    canBeFull: mounted,
    /** Stays mounted at the end: what was delivered is on it. */
    keep: false,
    async fill() {
      await writeFile(filler, Buffer.alloc(DISK_MB * 1024 * 1024)).catch(() => {});
    },
    async empty() {
      await rm(filler, { force: true });
    },
    async remove() {
      if (mounted && !this.keep) await run('umount', ['-l', folder]).catch(() => {});
    },
  };
}

async function api(folder: string, number: number, environment: Record<string, string>, launcher: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const control = program({
    command: process.execPath,
    args: [launcher, 'api'],
    env: environmentWith({ ...environment, SLUICE_PORT: String(port) }),
    logFile: path.join(folder, `api-${number}.log`),
    ready: () => isAnswering(`${url}/_livez`),
  });
  return { ...serverProcess(`api ${number}`, control), url };
}

function worker(folder: string, number: number, environment: Record<string, string>, launcher: string): ServerProcess {
  const logFile = path.join(folder, `worker-${number}.log`);
  const control = program({
    command: process.execPath,
    args: [launcher, 'worker'],
    env: environmentWith(environment),
    logFile,
    // The server may wait for Postgres or Temporal, which chaos has taken away: its start is not waited for.
    ready: async () => true,
  });
  return serverProcess(`worker ${number}`, control);
}
