/** Bounded cache of projects and of failed lookups; evicts the least recently used project first. */
import type { ProjectFlags } from './project-flags.ts';

export const MAX_PROJECTS = 2_000;
const MAX_MISSES = 10_000;
/** How long a failed lookup is cached; a new project may appear this late. */
const MISSING_MS = 2_000;

export type HeldProjects = {
  byToken(token: string): ProjectFlags | undefined;
  byId(projectId: number): ProjectFlags | undefined;
  /** Same as `byId`, but does not count as a use. */
  peek(projectId: number): ProjectFlags | undefined;
  all(): ProjectFlags[];
  /** Replaces what is cached for the project. */
  put(project: ProjectFlags): ProjectFlags;
  drop(projectId: number): void;
  /** Remembers for a short time that a project does not exist. @param name its token or id */
  miss(name: string): void;
  isMissing(name: string): boolean;
};

type Held = { project: ProjectFlags; usedAt: number };

/** @param now a monotonic clock, in milliseconds */
export function createHeldProjects(now: () => number = () => performance.now()): HeldProjects {
  const byId = new Map<number, Held>();
  const byToken = new Map<string, Held>();
  const misses = new Map<string, number>();
  let uses = 0;

  function use(held: Held | undefined): ProjectFlags | undefined {
    if (!held) return undefined;
    held.usedAt = uses += 1;
    return held.project;
  }

  function drop(projectId: number): void {
    const held = byId.get(projectId);
    if (!held) return;
    byId.delete(projectId);
    byToken.delete(held.project.token);
  }

  function makeRoom(): void {
    if (byId.size < MAX_PROJECTS) return;
    const [oldest] = [...byId.values()].sort((a, b) => a.usedAt - b.usedAt);
    if (oldest) drop(oldest.project.projectId);
  }

  return {
    byToken: (token) => use(byToken.get(token)),
    byId: (projectId) => use(byId.get(projectId)),
    peek: (projectId) => byId.get(projectId)?.project,
    all: () => [...byId.values()].map(({ project }) => project),
    put(project) {
      const { projectId, token } = project;
      const usedAt = byId.get(projectId)?.usedAt ?? (uses += 1);
      // Drops the old entry first, because the token may have changed and the old one must stop working.
      drop(projectId);
      makeRoom();
      const held = { project, usedAt };
      byId.set(projectId, held);
      byToken.set(token, held);
      misses.delete(token);
      misses.delete(String(projectId));
      return project;
    },
    drop,
    miss(name) {
      misses.delete(name);
      if (misses.size === MAX_MISSES) misses.delete(misses.keys().next().value!);
      misses.set(name, now() + MISSING_MS);
    },
    isMissing: (name) => (misses.get(name) ?? -Infinity) > now(),
  };
}
