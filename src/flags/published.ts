/**
 * Data of a project that web pages read with only its public key. Each version of the project is read from the database once, so pages
 * are served however many requests arrive, even while Postgres is down.
 */
import { NotAuthenticated } from '../platform/errors.ts';
import { Type } from '../platform/schema.ts';
import type { LiveDefinitions } from './definitions/live-definitions.ts';
import type { ProjectFlags } from './definitions/project-flags.ts';

const MAX_PROJECTS = 2_000;

/** Query with the public key, under either of the two names that SDKs use; other query parameters are ignored. */
export const TokenQuery = Type.Object({
  token: Type.Optional(Type.String({ description: 'The public key of the project.' })),
  api_key: Type.Optional(Type.String({ description: 'The public key of the project, as named by some SDKs.' })),
});

/** @throws NotAuthenticated for a missing or unknown key; Unavailable */
export async function getProjectByToken(
  live: Pick<LiveDefinitions, 'find'>,
  { token, api_key: apiKey }: { token?: string; api_key?: string },
): Promise<ProjectFlags> {
  const given = token || apiKey;
  if (!given) {
    throw new NotAuthenticated(
      'API key not provided. You can find your project API key in PostHog project settings.',
      'missing_api_key',
    );
  }
  const project = await live.find(given);
  if (project) return project;
  throw new NotAuthenticated(
    'Project API key invalid. You can find your project API key in PostHog project settings.',
    'invalid_api_key',
  );
}

/**
 * Caches the result of `load` until the project changes; requests for the same version share one load.
 * When a load fails, the result for the previous version is returned.
 */
export function cacheByProjectVersion<T>(
  load: (projectId: number) => Promise<T>,
): (project: ProjectFlags) => Promise<T> {
  type CacheEntry = { version: string; value: Promise<T> };
  const entriesByProject = new Map<number, CacheEntry>();

  /** Replaces a failed load with the previous result, if any, so the next request tries again. */
  function restorePrevious(projectId: number, known: CacheEntry | undefined): void {
    if (known) entriesByProject.set(projectId, known);
    else entriesByProject.delete(projectId);
  }

  return ({ projectId, version }) => {
    const known = entriesByProject.get(projectId);
    if (known?.version === version) return known.value;
    const value = load(projectId).catch((error: unknown) => {
      if (entriesByProject.get(projectId)?.value === value) restorePrevious(projectId, known);
      if (!known) throw error;
      return known.value;
    });
    entriesByProject.delete(projectId);
    entriesByProject.set(projectId, { version, value });
    if (entriesByProject.size > MAX_PROJECTS) entriesByProject.delete(entriesByProject.keys().next().value!);
    return value;
  };
}
