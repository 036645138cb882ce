/** Finds the project of a public key; cached, because every batch of events needs it. */
import type { ProjectStore } from './projects.store.ts';

/** How long a cached result is used, so a changed or new project may be noticed this late. */
const TTL_MS = 10_000;
const MAX_ENTRIES = 10_000;
const TOKEN = /^phc_[\w-]{1,200}$/;

export type ProjectByToken = ProjectStore['findByToken'];

/** Caches misses, too, because a wrong key in a busy page must not cause a query per request. */
export function createProjectLookup(projects: ProjectStore, now = () => performance.now()): ProjectByToken {
  const cache = new Map<string, { until: number; project: ReturnType<ProjectByToken> }>();

  return async (token) => {
    if (!TOKEN.test(token)) return undefined;
    const cached = cache.get(token);
    if (cached && cached.until > now()) return cached.project;
    const project = projects.findByToken(token);
    // Evicts first in, first out; inserting a token again moves it to the end.
    cache.delete(token);
    cache.set(token, { until: now() + TTL_MS, project });
    if (cache.size > MAX_ENTRIES) cache.delete(cache.keys().next().value!);
    project.catch(() => cache.delete(token));
    return project;
  };
}
