/** Addresses of pages about exports, for links between them. */
type OfExport = { projectId: number; exportId: string };

const ofExport = ({ projectId, exportId }: OfExport): string => `/project/${projectId}/exports/${exportId}`;

export const newExportAddress = (projectId: number): string => `/project/${projectId}/exports/new`;

/** @param field to correct; the form moves to it */
export function editAddress(of: OfExport, field?: string | null): string {
  return `${ofExport(of)}/edit${field ? `?${new URLSearchParams({ field })}` : ''}`;
}

export const runAddress = (of: OfExport, runId: string): string => `${ofExport(of)}/runs/${runId}`;
