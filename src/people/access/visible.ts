/** Tests whether a viewer sees objects in memory; `visible.store.ts` filters queries. */
import type { Protected, Visible } from '../../platform/http/access.ts';

/** Whether the viewer sees the object. */
export function isVisible(visible: Visible, { id, createdBy }: Protected): boolean {
  if (visible.madeBy !== null && createdBy === visible.madeBy) return true;
  return 'only' in visible ? visible.only.includes(String(id)) : !visible.except.includes(String(id));
}
