/** Bounded cache of projects and of failed lookups; evicts the least recently used project first. */
import type { ProjectFlags } from './project-flags.ts';

export const MAX_PROJECTS = 2_000;
const MAX_MISSES = 10_000;
/** How long a failed lookup is cached; a new project may appear this late. */
const MISSING_MS = 2_000;

export type ProjectCache = {
  findByToken(token: string): ProjectFlags | undefined;
  findById(projectId: number): ProjectFlags | undefined;
  /** Same as `findById`, but does not count as a use. */
  peek(projectId: number): ProjectFlags | undefined;
  list(): ProjectFlags[];
  /** Replaces what is cached for the project. */
  put(project: ProjectFlags): ProjectFlags;
  drop(projectId: number): void;
  /** Remembers for a short time that a project does not exist. @param name its token or id */
  rememberMissing(name: string): void;
  isMissing(name: string): boolean;
};

type CachedProject = { project: ProjectFlags; usedAt: number };

/** @param now a monotonic clock, in milliseconds */
export function createProjectCache(now: () => number = () => performance.now()): ProjectCache {
  const byId = new Map<number, CachedProject>();
  const byToken = new Map<string, CachedProject>();
  const misses = new Map<string, number>();
  let uses = 0;

  function use(cached: CachedProject | undefined): ProjectFlags | undefined {
    if (!cached) return undefined;
    cached.usedAt = uses += 1;
    return cached.project;
  }

  function drop(projectId: number): void {
    const cached = byId.get(projectId);
    if (!cached) return;
    byId.delete(projectId);
    byToken.delete(cached.project.token);
  }

  function evictOldest(): void {
    if (byId.size < MAX_PROJECTS) return;
    const [oldest] = [...byId.values()].sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) drop(oldest.project.projectId);
  }

  return {
    findByToken: (token) => use(byToken.get(token)),
    findById: (projectId) => use(byId.get(projectId)),
    peek: (projectId) => byId.get(projectId)?.project,
    list: () => [...byId.values()].map(({ project }) => project),
    put(project) {
      const { projectId, token } = project;
      const usedAt = byId.get(projectId)?.usedAt ?? (uses += 1);
      // Drops the old entry first, because the token may have changed and the old one must stop working.
      drop(projectId);
      evictOldest();
      const cached = { project, usedAt };
      byId.set(projectId, cached);
      byToken.set(token, cached);
      misses.delete(token);
      misses.delete(String(projectId));
      return project;
    },
    drop,
    rememberMissing(name) {
      misses.delete(name);
      if (misses.size === MAX_MISSES) misses.delete(misses.keys().next().value!);
      misses.set(name, now() + MISSING_MS);
    },
    isMissing: (name) => (misses.get(name) ?? -Infinity) > now(),
  };
}
