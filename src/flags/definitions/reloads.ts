/** Reloads changed projects; their old definitions stay in the cache until then. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../../platform/telemetry/logger.ts';
import { compileDefinitions } from '../evaluation/compile.ts';
import type { DefinitionsStore } from './definitions.store.ts';
import type { ProjectCache } from './held-projects.ts';
import type { ProjectFlags } from './project-flags.ts';
import type { Snapshot } from './stored-definitions.ts';

/** Maximum delay between two reads of a project. The delay is as long as the read was, so a project that often changes is not read constantly. */
const LONGEST_DELAY_MS = 1_000;

export type Reloads = {
  /** Resolves when this version or a later one is cached, or could not be read. Concurrent calls for a project share the reads. */
  reload(projectId: number, version: number): Promise<void>;
  /** Same as `reload`, if the cached version is earlier. */
  reloadIfOlder(projectId: number, version: number): Promise<void>;
  /** Resolves when everything that is committed now is cached, or could not be read. */
  refresh(projectId: number): Promise<void>;
  /** Resolves when nothing is being read. */
  untilIdle(): Promise<void>;
};

type Options = {
  store: DefinitionsStore;
  cache: ProjectCache;
  /** Called when the cached version of a project has changed, or the project was dropped. */
  notify(projectId: number): void;
  log: Logger;
};

export function createReloads({ store, cache, notify, log }: Options): Reloads {
  const running = new Map<number, { requestedVersion: number; promise: Promise<void> }>();

  function reload(projectId: number, version: number): Promise<void> {
    const current = running.get(projectId);
    if (current) {
      current.requestedVersion = Math.max(current.requestedVersion, version);
      return current.promise;
    }
    const state = { requestedVersion: version, promise: Promise.resolve() };
    running.set(projectId, state);
    state.promise = readUntilCurrent(projectId, state);
    return state.promise;
  }

  async function readUntilCurrent(projectId: number, state: { requestedVersion: number }): Promise<void> {
    let previousVersion: string | undefined;
    try {
      for (;;) {
        const startedAt = performance.now();
        const snapshot = await read(projectId);
        // Notified changes are committed, so a version that never appears was announced before the database was restored.
        if (!snapshot || Number(snapshot.version) >= state.requestedVersion || snapshot.version === previousVersion)
          return;
        previousVersion = snapshot.version;
        await sleep(Math.min(performance.now() - startedAt, LONGEST_DELAY_MS));
      }
    } finally {
      running.delete(projectId);
    }
  }

  /**
   * Keeps the cached definitions if reading fails; the next check notices that they are old.
   * @returns undefined when the project could not be read, or no longer exists
   */
  async function read(projectId: number): Promise<Snapshot | undefined> {
    const previous = cache.peek(projectId);
    if (!previous) return undefined;
    try {
      const snapshot = await store.findById(projectId);
      if (snapshot) cache.put(withCompiled(snapshot));
      else cache.drop(projectId);
      if (snapshot?.version !== previous.version) notify(projectId);
      return snapshot;
    } catch (error) {
      log.warn({ projectId, err: error }, 'changed flags could not be read');
      return undefined;
    }
  }

  async function reloadIfOlder(projectId: number, version: number): Promise<void> {
    const project = cache.peek(projectId);
    if (project && Number(project.version) < version) await reload(projectId, version);
  }

  return {
    reload,
    reloadIfOlder,
    async refresh(projectId) {
      if (!cache.peek(projectId)) return;
      const versions = await store.findVersions([projectId]).catch(() => undefined);
      await reloadIfOlder(projectId, Number(versions?.get(projectId)));
    },
    async untilIdle() {
      await Promise.all([...running.values()].map(({ promise }) => promise));
    },
  };
}

export function withCompiled(snapshot: Snapshot): ProjectFlags {
  const { definitions } = snapshot;
  return { ...snapshot, compiled: compileDefinitions(definitions) };
}
