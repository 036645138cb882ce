import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Keeps what pages show of a project's exports up to date while they are open. */
export function useLive(projectId: number | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (projectId === undefined) return;
    let leave: (() => void) | undefined;
    let isOver = false;
    // Loaded after the page that is shown first; without it pages poll.
    void import('./follow-project.ts')
      .then(({ followProject }) => {
        if (!isOver) leave = followProject(queries, projectId);
      })
      .catch(() => {});
    return () => {
      isOver = true;
      leave?.();
    };
  }, [queries, projectId]);
}
