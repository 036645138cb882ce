/** Looks up batch exports for access control. */
import type { FindProtected } from '../../platform/http/access.ts';
import type { BatchExportStore } from './batch-exports.store.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

export function protectedExports({ find }: Pick<BatchExportStore, 'find'>): FindProtected {
  return async (projectId, id) => {
    const batchExport = UUID.test(id) ? await find(id) : undefined;
    return batchExport?.projectId === projectId
      ? { id: batchExport.id, createdBy: batchExport.createdBy, name: batchExport.name }
      : undefined;
  };
}
