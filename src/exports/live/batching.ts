/** Combines changes to batches, because a backfill of ten thousand runs must not become ten thousand events. */
import { joinChanges, type ExportChange } from './changes.ts';

/** Changes of a project; `too many` if there are more than the limit. */
export type ChangeBatch = { projectId: number; changes: readonly ExportChange[] | 'too many' };

export type Batcher = {
  add(change: ExportChange): void;
  /** Drops the changes that were not published yet. */
  clear(): void;
};

type Options = {
  /** How long changes are collected, from the first one on. */
  windowMs: number;
  /** Limit of a project's changes in a batch; changes of the same kind and export count as one. */
  maxChanges: number;
  publish(batches: readonly ChangeBatch[]): void;
};

export function createBatcher({ windowMs, maxChanges, publish }: Options): Batcher {
  let projects = new Map<number, Map<string, ExportChange> | 'too many'>();
  let timer: NodeJS.Timeout | undefined;

  function flush(): void {
    timer = undefined;
    const batches = projects;
    projects = new Map();
    publish(
      [...batches].map(([projectId, changes]) => ({
        projectId,
        changes: changes === 'too many' ? changes : [...changes.values()],
      })),
    );
  }

  return {
    add(change) {
      timer ??= setTimeout(flush, windowMs).unref();
      const { projectId, kind, exportId } = change;
      const changes = projects.get(projectId) ?? new Map<string, ExportChange>();
      if (changes === 'too many') return;
      const name = `${kind} ${exportId}`;
      const pending = changes.get(name);
      changes.set(name, pending ? joinChanges(pending, change) : change);
      projects.set(projectId, changes.size > maxChanges ? 'too many' : changes);
    },
    clear() {
      clearTimeout(timer);
      timer = undefined;
      projects = new Map();
    },
  };
}
