/** Repeats queries that changes made outdated. It pauses between repetitions, and waits while the page is hidden. */
import type { QueryClient } from '@tanstack/react-query';
import { areAbout, type Change, type Changes } from './changes.ts';

export type Refresher = {
  add(changes: Changes): void;
  stop(): void;
};

const PAUSE_MS = 1_000;
/** Limit of waiting changes; beyond it, all queries are repeated. */
const MAX_CHANGES = 100;

export function createRefresher(queries: QueryClient, projectId: number): Refresher {
  let waiting: Changes = [];
  let isBusy = false;

  async function refresh(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    while (waiting.length > 0 && !document.hidden) {
      const changes = waiting;
      waiting = [];
      const predicate = (query: Parameters<typeof areAbout>[0]) => areAbout(query, projectId, changes);
      // Waits for the answers, because the next repetition would cancel slow requests.
      await Promise.all([queries.invalidateQueries({ predicate }), sleep(PAUSE_MS)]);
    }
    isBusy = false;
  }

  const onVisible = () => void refresh();
  document.addEventListener('visibilitychange', onVisible);

  return {
    add(changes) {
      waiting = joinChanges(waiting, changes);
      void refresh();
    },
    stop() {
      waiting = [];
      document.removeEventListener('visibilitychange', onVisible);
    },
  };
}

function joinChanges(some: Changes, others: Changes): Changes {
  if (some === 'all' || others === 'all') return 'all';
  const changes: readonly Change[] = [...some, ...others];
  return changes.length > MAX_CHANGES ? 'all' : changes;
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
