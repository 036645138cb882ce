/** Audit log of batch exports and of what belongs to them: written in the transaction of each change. */
import { changesBetween, type Author } from '../../people/audit/audit-log.ts';
import { type AuditVerb, type Change } from '../../people/audit/entry.ts';
import type { Backfill } from '../backfills/backfills.store.ts';
import type { BatchExport } from './batch-export.ts';
import type { Integration } from '../integrations/integrations.store.ts';
import { presentBatchExport } from './present.ts';
import type { BoundStores } from '../stores.ts';

/** Author of what Sluice does automatically. */
export const SYSTEM_AUTHOR: Author = { userId: null, keyId: null };

type AuditEntry = { activity: AuditVerb; changes: Change[] };

/** @param before absent if the export was just created */
export async function recordExport(
  { auditLog }: BoundStores,
  author: Author,
  verb: AuditVerb,
  { before, after }: { before?: BatchExport; after: BatchExport },
): Promise<void> {
  await auditLog.record({
    project: { id: after.projectId },
    author,
    scope: 'BatchExport',
    itemId: after.id,
    name: after.name,
    activity: verb,
    version: Number(after.version),
    changes: before ? changesBetween('BatchExport', fieldsOf(before), fieldsOf(after)) : [],
  });
}

/** Fields that Sluice sets automatically, so their changes are not a person's. */
const AUTOMATIC_FIELDS = new Set([
  'id',
  'team_id',
  'created_at',
  'last_updated_at',
  'complete_until',
  'lag_seconds',
  'interval_troubles',
  'error',
  'latest_runs',
]);

/** Fields as in the API, without secrets. A pause is reduced to its notes, because the entry names its author already. */
function fieldsOf(batchExport: BatchExport): Record<string, unknown> {
  const { pause, ...fields } = presentBatchExport(batchExport);
  const notes = pause && { reason: pause.reason, resume_at: pause.resume_at };
  return Object.fromEntries(
    Object.entries({ ...fields, pause: notes }).filter(([field]) => !AUTOMATIC_FIELDS.has(field)),
  );
}

/** Records an action on a backfill, or on a retry, which is a backfill of one data interval. */
export async function recordBackfill(
  { auditLog }: BoundStores,
  author: Author,
  backfill: Backfill,
  entry: AuditEntry,
): Promise<void> {
  const { id, projectId, kind, startAt, endAt } = backfill;
  const name = `${kind} from ${startAt} to ${endAt}`;
  await auditLog.record({
    project: { id: projectId },
    author,
    scope: 'BatchExportBackfill',
    itemId: id,
    name,
    ...entry,
  });
}

export async function recordRun(
  { auditLog }: Pick<BoundStores, 'auditLog'>,
  author: Author,
  run: { id: string; projectId: number; start: string; end: string; status: string },
): Promise<void> {
  const { id, projectId, start, end, status } = run;
  await auditLog.record({
    project: { id: projectId },
    author,
    scope: 'BatchExportRun',
    itemId: id,
    name: `${start} to ${end}`,
    activity: 'updated',
    changes: changesBetween('BatchExportRun', { status }, { status: 'Cancelled' }),
  });
}

/** Records which of two deliveries of an interval stays. */
export async function recordForeignDelivery(
  { auditLog }: Pick<BoundStores, 'auditLog'>,
  author: Author,
  delivery: { exportId: string; projectId: number; start: string; end: string },
  side: string,
): Promise<void> {
  await auditLog.record({
    project: { id: delivery.projectId },
    author,
    scope: 'BatchExport',
    itemId: delivery.exportId,
    name: `${delivery.start} to ${delivery.end}`,
    activity: 'updated',
    changes: changesBetween('BatchExport', { delivery: 'another timeline' }, { delivery: side }),
  });
}

/** Records a change of an integration. Secrets are named, never shown. */
export async function recordIntegration(
  { auditLog }: BoundStores,
  author: Author,
  { id, projectId, kind }: Integration,
  verb: AuditVerb,
  changedSecrets: readonly string[] = [],
): Promise<void> {
  const changes = changedSecrets.map((field): Change => {
    return { type: 'Integration', action: 'changed', field, before: MASK, after: MASK };
  });
  const entry = { scope: 'Integration', itemId: id, name: kind, activity: verb, changes };
  await auditLog.record({ project: { id: projectId }, author, ...entry });
}

const MASK = '***';
