/** Changes of exports in the database's notifications, which say which rows changed, and nothing of their content. */

export const CHANGE_KINDS = ['export', 'run', 'interval', 'backfill', 'log'] as const;
type ChangeKind = (typeof CHANGE_KINDS)[number];

export type ExportChange = {
  kind: ChangeKind;
  projectId: number;
  exportId: string;
  /** Creator of the export, who may always see it. */
  createdBy: number | null;
  /** null if the change concerns several runs, or none. */
  runId: string | null;
  /** Range of the data intervals concerned; null if the change concerns none or all of them. */
  start: string | null;
  end: string | null;
};

const PAYLOAD = /^([a-z]+) (\d+) (\d+|-) ([0-9a-f-]{36}) ([0-9a-f-]{36}|-) (\S+) (\S+)$/;

/** @returns undefined for a payload of a later version */
export function changeOf(payload: string): ExportChange | undefined {
  const [, name, projectId, createdBy, exportId, runId, start, end] = PAYLOAD.exec(payload) ?? [];
  const kind = CHANGE_KINDS.find((known) => known === name);
  if (kind === undefined || exportId === undefined) return undefined;
  const creator = orNull(createdBy);
  return {
    kind,
    projectId: Number(projectId),
    exportId,
    createdBy: creator === null ? null : Number(creator),
    runId: orNull(runId),
    start: orNull(start),
    end: orNull(end),
  };
}

function orNull(text: string | undefined): string | null {
  return text === undefined || text === '-' ? null : text;
}

const ENDED_ACCESS = /^access (\d+)$/;

/** @returns the user whose session, key or membership ended; undefined for another payload */
export function endedAccessOf(payload: string): number | undefined {
  const [, userId] = ENDED_ACCESS.exec(payload) ?? [];
  return userId === undefined ? undefined : Number(userId);
}

/** Joins two changes of the same kind and export to one that covers both. */
export function joinChanges(one: ExportChange, other: ExportChange): ExportChange {
  return {
    ...one,
    runId: one.runId === other.runId ? one.runId : null,
    start: one.start === null || other.start === null ? null : earlierOf(one.start, other.start),
    end: one.end === null || other.end === null ? null : laterOf(one.end, other.end),
  };
}

/** Compare instants by their texts, which have one form and sort by time. */
const earlierOf = (one: string, other: string) => (one < other ? one : other);
const laterOf = (one: string, other: string) => (one > other ? one : other);
