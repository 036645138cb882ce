import type { QueryClient } from '@tanstack/react-query';
import { follow } from './follow.ts';
import { setLive } from './liveness.ts';
import { createRefresher } from './refresher.ts';

/** Reads again what pages show of a project's exports when it changes. @returns a function that stops this */
export function followProject(queries: QueryClient, projectId: number): () => void {
  const refresher = createRefresher(queries, projectId);
  let wasUp = false;
  const leave = follow(projectId, {
    onState(isUp) {
      // On both changes: missed data is read, and polls begin again or stop.
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
