/** What somebody may read of the activity log. */
import type { Rights, Visible } from '../http/access.ts';
import { KINDS } from './access-levels.ts';

/** Of the entries about one kind of object, those about these objects. */
export type SeenActivity = { scope: string; visible: Visible };

/** For each kind of object; what is about none of them is for everybody. */
export function seenActivity(rights: Rights): SeenActivity[] {
  return KINDS.map((kind) => ({ scope: scopeOf(kind), visible: rights.visible(kind) }));
}

/** `feature_flag` is `FeatureFlag` there. */
function scopeOf(kind: string): string {
  return kind.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
