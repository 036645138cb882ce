import type { QueryClient } from '@tanstack/react-query';
import { follow } from './follow.ts';
import { setLive } from './live-state.ts';
import { createRefresher } from './refresher.ts';

/** Refreshes queries about a project's exports when these change. @returns a function that stops this */
export function followProject(queries: QueryClient, projectId: number): () => void {
  const refresher = createRefresher(queries, projectId);
  let wasUp = false;
  const leave = follow(projectId, {
    onState(isUp) {
      // Both when the stream comes up and when it breaks: missed data is read, and queries take their new polling interval.
      if (isUp !== wasUp) refresher.add('all');
      wasUp = isUp;
      setLive(isUp);
    },
    onChanges: refresher.add,
  });
  return () => {
    leave();
    refresher.stop();
    setLive(false);
  };
}
