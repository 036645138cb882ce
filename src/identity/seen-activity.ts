/** What somebody may read of the activity log. */
import type { Rights, Visible } from '../http/access.ts';
import { KINDS } from './access-levels.ts';

/** Of the entries about one kind of object, those about these objects. */
export type SeenActivity = {
  scope: string;
  visible: Visible;
  /** The table of what the entries are about, where these are parts of batch exports: then `visible` is about the exports. */
  partsOfExports?: string;
};

const PARTS_OF_EXPORTS = [
  { scope: 'BatchExportRun', partsOfExports: 'batch_export_runs' },
  { scope: 'BatchExportBackfill', partsOfExports: 'batch_export_backfills' },
];

/** For each kind of object; what is about none of them is for everybody. */
export function seenActivity(rights: Rights): SeenActivity[] {
  return [
    ...KINDS.map((kind) => ({ scope: scopeOf(kind), visible: rights.visible(kind) })),
    ...PARTS_OF_EXPORTS.map((parts) => ({ ...parts, visible: rights.visible('batch_export') })),
  ];
}

/** `feature_flag` is `FeatureFlag` there. */
function scopeOf(kind: string): string {
  return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
