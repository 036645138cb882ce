/** Which objects somebody sees, for those that are in memory; lists of stored ones are in `visible.store.ts`. */
import type { Protected, Visible } from '../../platform/http/access.ts';

/** Whether somebody sees the object. */
export function sees(visible: Visible, { id, createdBy }: Protected): boolean {
  if (visible.madeBy !== null && createdBy === visible.madeBy) return true;
  return 'only' in visible ? visible.only.includes(String(id)) : !visible.except.includes(String(id));
}
