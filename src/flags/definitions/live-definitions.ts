/**
 * Keeps compiled definitions of projects in memory.
 *
 * A project is loaded at its first request. Postgres notifies of each change that affects its flags (`listen`), and the project is then
 * reloaded; until that succeeds, even while Postgres is down, the old definitions are served. Notifications are lost while the connection
 * is down, so the versions of all cached projects are also compared when listening begins and every few seconds.
 */
import { isDatabaseAway } from '../../platform/db/away.ts';
import { createPool } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { listen } from '../../platform/db/listener.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { definitionsStore } from './definitions.store.ts';
import { createProjectCache } from './held-projects.ts';
import type { ProjectFlags } from './project-flags.ts';
import { createReloads, withCompiled } from './reloads.ts';
import type { Snapshot } from './stored-definitions.ts';

const CHANNEL = 'sluice_flag_definitions';
const CHECK_EVERY_MS = 3_000;
const CONNECT_TIMEOUT_MS = 3_000;
const ANSWER_TIMEOUT_MS = 5_000;
const TOKEN = /^phc_[\w-]{1,200}$/;

export type ProjectLookup = ProjectFlags | undefined | Promise<ProjectFlags | undefined>;

export type LiveDefinitions = {
  /**
   * Finds the project with this public key; undefined if it does not exist. Synchronous for a project in memory.
   * @throws Unavailable while Postgres is away, for a project that is not in memory
   */
  find(token: string): ProjectLookup;
  /** Same as `find`, by the id of the project. */
  findById(projectId: number): ProjectLookup;
  /**
   * Registers a listener, which is called after a change, when `find` returns the changed project already. It must not throw.
   * @returns a function that removes the listener
   */
  onChange(listener: (projectId: number) => void): () => void;
  /** Resolves when `find` returns everything that is committed now, or Postgres is away. */
  refresh(projectId: number): Promise<void>;
  close(): Promise<void>;
};

export type LiveDefinitionsOptions = { databaseUrl: string; log: Logger; checkEveryMs?: number };

export function createLiveDefinitions(options: LiveDefinitionsOptions): LiveDefinitions {
  const { databaseUrl, log, checkEveryMs = CHECK_EVERY_MS } = options;
  const pool = createPool({
    url: databaseUrl,
    ...POOLS.definitions,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    answerTimeoutMs: ANSWER_TIMEOUT_MS,
  });
  const store = definitionsStore(pool);
  const cache = createProjectCache();
  const listeners = new Set<(projectId: number) => void>();
  /** First loads of projects that are under way, by token or id. */
  const loads = new Map<string, Promise<ProjectFlags | undefined>>();
  /** Versions by project that Postgres announced during first loads, which may have read an older version. */
  const announcedVersions = new Map<number, number>();
  const { reload, reloadIfOlder, refresh, untilIdle } = createReloads({ store, cache, notify, log });
  let checking: Promise<void> | undefined;

  function notify(projectId: number): void {
    for (const listener of listeners) listener(projectId);
  }

  function load(name: string, read: () => Promise<Snapshot | undefined>): Promise<ProjectFlags | undefined> {
    const pending = loads.get(name);
    if (pending) return pending;
    const loading = loadOnce(name, read).finally(() => {
      loads.delete(name);
      if (loads.size === 0) announcedVersions.clear();
    });
    loads.set(name, loading);
    return loading;
  }

  async function loadOnce(name: string, read: () => Promise<Snapshot | undefined>): Promise<ProjectFlags | undefined> {
    const snapshot = await read().catch((cause: unknown) => {
      if (!isDatabaseAway(cause)) throw cause;
      throw new Unavailable('Flags cannot be looked up right now.', 5, { cause });
    });
    if (!snapshot) {
      cache.rememberMissing(name);
      return undefined;
    }
    const cached = cache.peek(snapshot.projectId);
    const isOld = cached !== undefined && Number(cached.version) >= Number(snapshot.version);
    const project = isOld ? cached : cache.put(withCompiled(snapshot));
    void reloadIfOlder(project.projectId, announcedVersions.get(project.projectId) ?? 0);
    return project;
  }

  function onNotification(payload: string): void {
    const [projectId, version] = payload.split(':').map(Number) as [number, number];
    if (loads.size > 0) announcedVersions.set(projectId, version);
    if (cache.peek(projectId)) void reloadIfOlder(projectId, version);
    else notify(projectId);
  }

  /** Never rejects. */
  function compareVersions(): Promise<void> {
    checking ??= checkVersions().finally(() => (checking = undefined));
    return checking;
  }

  async function checkVersions(): Promise<void> {
    const projects = cache.list();
    if (projects.length === 0) return;
    try {
      const versions = await store.findVersions(projects.map(({ projectId }) => projectId));
      for (const { projectId, version } of projects) {
        const current = versions.get(projectId);
        // Also if the version is lower, because the database may have been restored.
        if (current !== version) void reload(projectId, Number(current ?? 0));
      }
    } catch (error) {
      log.warn({ err: error }, 'versions of flags could not be compared');
    }
  }

  const timer = setInterval(() => void compareVersions(), checkEveryMs);
  timer.unref();
  const listener = listen({
    url: databaseUrl,
    channel: CHANNEL,
    onNotification,
    // A running check may have read the versions before listening began.
    onListening: () => void (checking ? checking.then(compareVersions) : compareVersions()),
    log,
  });

  return {
    find(token) {
      const project = cache.findByToken(token);
      if (project) return project;
      if (!TOKEN.test(token) || cache.isMissing(token)) return undefined;
      return load(token, () => store.findByToken(token));
    },
    findById(projectId) {
      const project = cache.findById(projectId);
      if (project) return project;
      const name = String(projectId);
      if (cache.isMissing(name)) return undefined;
      return load(name, () => store.findById(projectId));
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    refresh,
    async close() {
      clearInterval(timer);
      await listener.close();
      await Promise.allSettled([...loads.values(), checking]);
      await untilIdle();
      await pool.end();
    },
  };
}
