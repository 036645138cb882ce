import { useParams, useSearch } from '@tanstack/react-router';
import { currentProjectOf, useMe } from './me.ts';

/** Project of the page's address; of a page of settings, the one that its user came from; without either, the user's current project. */
export function useProjectId(): number | undefined {
  const { projectId } = useParams({ strict: false });
  const { project } = useSearch({ strict: false });
  const me = useMe();
  return projectId ?? me.projects.find(({ id }) => id === Number(project))?.id ?? currentProjectOf(me);
}
