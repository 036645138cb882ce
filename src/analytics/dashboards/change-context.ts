import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import type { BoundDashboardStores } from './stores.ts';

/** A change of dashboards: its transaction, and the user or key that makes it. */
export type ChangeContext = { stores: BoundDashboardStores; project: Project; caller: Caller; rights: Rights };
