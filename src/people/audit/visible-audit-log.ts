/** Determines which entries of the audit log a caller may read. */
import type { Rights, Visible } from '../../platform/http/access.ts';
import { KINDS } from '../access/access-levels.ts';

/** Limits entries about one kind of object to those about visible objects. */
export type VisibleAuditLog = {
  scope: string;
  visible: Visible;
  /** Table of the entries' objects, if they belong to batch exports; `visible` then applies to the exports. */
  exportChildrenTable?: string;
  /** The field in which entries about another kind list ids of these objects: that kind's scope, the field, and the objects' table. */
  namedIn?: { scope: string; field: string; table: string };
};

const EXPORT_CHILDREN = [
  { scope: 'BatchExportRun', exportChildrenTable: 'batch_export_runs' },
  { scope: 'BatchExportBackfill', exportChildrenTable: 'batch_export_backfills' },
];

/** Entries about insights list the dashboards that they were added to or removed from. */
const NAMED_IN: Record<string, VisibleAuditLog['namedIn']> = {
  dashboard: { scope: 'Insight', field: 'dashboards', table: 'dashboards' },
};

/** Limits for each kind of object; entries about any other kind are visible to everybody. */
export function visibleAuditLog(rights: Rights): VisibleAuditLog[] {
  return [
    ...KINDS.map((kind) => {
      const namedIn = NAMED_IN[kind];
      return { scope: scopeOf(kind), visible: rights.visible(kind), ...(namedIn && { namedIn }) };
    }),
    ...EXPORT_CHILDREN.map((child) => ({ ...child, visible: rights.visible('batch_export') })),
  ];
}

/** Name of a kind in the audit log: `FeatureFlag` for `feature_flag`. */
function scopeOf(kind: string): string {
  return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
