/**
 * Cache keys of answers about exports. Each begins with its kind and the project, so one export, or one kind in a whole
 * project, can be invalidated.
 */
export const exportKeys = {
  /** Lists of exports. */
  all: (projectId: number) => ['exports', projectId] as const,
  /** One export itself. */
  one: (projectId: number, exportId: string) => ['export', projectId, exportId] as const,
  /** States of the export's intervals, and plans for them. */
  intervals: (projectId: number, exportId: string) => ['intervals', projectId, exportId] as const,
  backfills: (projectId: number, exportId: string) => ['backfills', projectId, exportId] as const,
};
