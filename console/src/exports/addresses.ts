/** Addresses of pages about exports, for links between them. */
export type ExportPath = { projectId: number; exportId: string };

const ofExport = ({ projectId, exportId }: ExportPath): string => `/project/${projectId}/exports/${exportId}`;

export const newExportAddress = (projectId: number): string => `/project/${projectId}/exports/new`;

/** @param field to correct; the form moves to it @param run whose page follows once the form is saved, instead of the export's */
export function editAddress(of: ExportPath, field?: string | null, run?: string): string {
  return `${ofExport(of)}/edit${field ? `?${new URLSearchParams({ field, ...(run && { run }) })}` : ''}`;
}

type BackfillOf = { id: string; start_at: string; end_at: string };

/** The receipt of a backfill. */
export function receiptAddress(of: ExportPath, { id, start_at: start, end_at: end }: BackfillOf): string {
  return `${ofExport(of)}?${new URLSearchParams({ start, end, backfill: id })}`;
}

export const runAddress = (of: ExportPath, runId: string): string => `${ofExport(of)}/runs/${runId}`;
