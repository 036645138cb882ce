import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { follow } from './follow.ts';
import { setLive } from './liveness.ts';
import { createRefresher } from './refresher.ts';

/** Keeps what pages show of a project's exports true while they are open. */
export function useLive(projectId: number | undefined): void {
  const queries = useQueryClient();
  useEffect(() => {
    if (projectId === undefined) return;
    const refresher = createRefresher(queries, projectId);
    let wasUp = false;
    const leave = follow(projectId, {
      onState(isUp) {
        // Both ways: what was missed is read, and polls begin again or stop.
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
  }, [queries, projectId]);
}
