/** Finds the project of a capture token; cached, because every batch of events asks. */
import type { Project, ProjectStore } from './projects.store.ts';

/** How long a changed or new project may go unnoticed. */
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;
const TOKEN = /^phc_[\w-]{1,200}$/;

export type ProjectByToken = (token: string) => Promise<Project | undefined>;

/** Caches misses too, because a wrong token in a busy page must not cause a query for each event. */
export function projectByToken(projects: ProjectStore, now = () => performance.now()): ProjectByToken {
  const remembered = new Map<string, { until: number; project: Promise<Project | undefined> }>();

  return async (token) => {
    if (!TOKEN.test(token)) return undefined;
    const known = remembered.get(token);
    if (known && known.until > now()) return known.project;
    const project = projects.findByToken(token);
    // First in, first out: re-inserting moves a token to the end.
    remembered.delete(token);
    remembered.set(token, { until: now() + TTL_MS, project });
    if (remembered.size > MAX_ENTRIES) remembered.delete(remembered.keys().next().value!);
    project.catch(() => remembered.delete(token));
    return project;
  };
}
