import { useParams, useSearch } from '@tanstack/react-router';
import { currentProjectOf, useMe } from './me.ts';

/** The project of the page's address; on settings pages, the project that the user came from; otherwise the user's current project. */
export function useProjectId(): number | undefined {
  const { projectId } = useParams({ strict: false });
  const { project: openedFromProject } = useSearch({ strict: false });
  const me = useMe();
  return projectId ?? me.projects.find(({ id }) => id === Number(openedFromProject))?.id ?? currentProjectOf(me);
}
