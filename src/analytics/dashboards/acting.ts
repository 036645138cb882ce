import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import type { BoundDashboardStores } from './stores.ts';

/** A user or key that changes something, inside a transaction of the stores. */
export type Acting = { stores: BoundDashboardStores; project: Project; caller: Caller; rights: Rights };
