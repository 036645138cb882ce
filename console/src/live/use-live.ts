import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';

/** Keeps queries about a project's exports up to date while a page is open. */
export function useLive(projectId: number | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (projectId === undefined) return;
    let leave: (() => void) | undefined;
    let isOver = false;
    // This code loads after the first page; until it has, pages poll.
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
