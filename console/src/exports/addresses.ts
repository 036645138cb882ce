/** Addresses of pages about exports, for links between them. */
export type ExportPath = { projectId: number; exportId: string };

const ofExport = ({ projectId, exportId }: ExportPath): string => `/project/${projectId}/exports/${exportId}`;

export const newExportAddress = (projectId: number): string => `/project/${projectId}/exports/new`;

/** @param field to correct; the form moves to it @param run whose page follows once the form is saved, instead of the export's */
export function editAddress(of: ExportPath, field?: string | null, run?: string): string {
  return `${ofExport(of)}/edit${field ? `?${new URLSearchParams({ field, ...(run && { run }) })}` : ''}`;
}

export const runAddress = (of: ExportPath, runId: string): string => `${ofExport(of)}/runs/${runId}`;
