/** Changes of exports as the database notifies of them: which rows changed, and nothing of their content. */

export const CHANGE_KINDS = ['export', 'run', 'interval', 'backfill', 'log'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

export type ExportChange = {
  kind: ChangeKind;
  projectId: number;
  exportId: string;
  /** Creator of the export, who sees it whatever the access rules say. */
  createdBy: number | null;
  /** null: of several runs, or of none. */
  runId: string | null;
  /** Range of the data intervals concerned; null: none of them, or all. */
  start: string | null;
  end: string | null;
};

const PAYLOAD = /^([a-z]+) (\d+) (\d+|-) ([0-9a-f-]{36}) ([0-9a-f-]{36}|-) (\S+) (\S+)$/;

/** @returns undefined for a payload of a later version */
export function changeOf(payload: string): ExportChange | undefined {
  const [, name, projectId, createdBy, exportId, runId, start, end] = PAYLOAD.exec(payload) ?? [];
  const kind = CHANGE_KINDS.find((known) => known === name);
  if (kind === undefined || exportId === undefined) return undefined;
  const maker = orNull(createdBy);
  return {
    kind,
    projectId: Number(projectId),
    exportId,
    createdBy: maker === null ? null : Number(maker),
    runId: orNull(runId),
    start: orNull(start),
    end: orNull(end),
  };
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '-' ? null : text;
}

/** One change instead of two of the same kind and export, covering both. */
export function joinChanges(one: ExportChange, other: ExportChange): ExportChange {
  return {
    ...one,
    runId: one.runId === other.runId ? one.runId : null,
    start: one.start === null || other.start === null ? null : earlier(one.start, other.start),
    end: one.end === null || other.end === null ? null : laterOf(one.end, other.end),
  };
}

/** Instants in one form: their texts sort as they do. */
const earlier = (one: string, other: string) => (one < other ? one : other);
const laterOf = (one: string, other: string) => (one > other ? one : other);
