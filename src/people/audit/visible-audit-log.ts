/** Entries of the activity log that a caller may read. */
import type { Rights, Visible } from '../../platform/http/access.ts';
import { KINDS } from '../access/access-levels.ts';

/** Of the entries about one kind of object, those about these objects. */
export type VisibleAuditLog = {
  scope: string;
  visible: Visible;
  /** The table of what the entries are about, where these are parts of batch exports: then `visible` is about the exports. */
  partsOfExports?: string;
  /** Where entries about another kind name these objects: a field that lists their ids, and the table where they are. */
  namedIn?: { scope: string; field: string; table: string };
};

const PARTS_OF_EXPORTS = [
  { scope: 'BatchExportRun', partsOfExports: 'batch_export_runs' },
  { scope: 'BatchExportBackfill', partsOfExports: 'batch_export_backfills' },
];

/** An insight that is put on dashboards, and taken off. */
const NAMED_IN: Record<string, VisibleAuditLog['namedIn']> = {
  dashboard: { scope: 'Insight', field: 'dashboards', table: 'dashboards' },
};

/** For each kind of object; what is about none of them is for everybody. */
export function visibleAuditLog(rights: Rights): VisibleAuditLog[] {
  return [
    ...KINDS.map((kind) => {
      const namedIn = NAMED_IN[kind];
      return { scope: scopeOf(kind), visible: rights.visible(kind), ...(namedIn && { namedIn }) };
    }),
    ...PARTS_OF_EXPORTS.map((parts) => ({ ...parts, visible: rights.visible('batch_export') })),
  ];
}

/** `feature_flag` is `FeatureFlag` there. */
function scopeOf(kind: string): string {
  return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
