/** Cache of projects and of failed lookups: as many as fit, the least recently used are dropped first. */
import type { ProjectFlags } from './project-flags.ts';

export const MAX_PROJECTS = 2_000;
const MAX_MISSES = 10_000;
/** How long a miss is cached, and so how late a new project may appear. */
const MISSING_MS = 2_000;

export type HeldProjects = {
  byToken(token: string): ProjectFlags | undefined;
  byId(projectId: number): ProjectFlags | undefined;
  /** The same, but does not count as a use. */
  peek(projectId: number): ProjectFlags | undefined;
  all(): ProjectFlags[];
  /** Replaces what is cached for the project. */
  put(project: ProjectFlags): ProjectFlags;
  drop(projectId: number): void;
  /** Remembers for a short time that there is none. @param name a token, or the id of a project */
  miss(name: string): void;
  isMissing(name: string): boolean;
};

type Held = { project: ProjectFlags; usedAt: number };

/** @param now milliseconds of a clock that never goes back */
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
      // Dropped first, because the project's token may have changed and the old one must not work.
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
