/**
 * Names under which answers about exports are kept. Each begins with its kind and the project, so that a change of one export, of all of a
 * project, or of one kind can be told to all who show it.
 */
export const exportKeys = {
  /** Lists of exports. */
  all: (projectId: number) => ['exports', projectId] as const,
  /** One export itself. */
  one: (projectId: number, exportId: string) => ['export', projectId, exportId] as const,
  /** States of its intervals, and what is planned for them. */
  intervals: (projectId: number, exportId: string) => ['intervals', projectId, exportId] as const,
  backfills: (projectId: number, exportId: string) => ['backfills', projectId, exportId] as const,
};
