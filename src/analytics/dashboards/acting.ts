import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import type { DashboardBound } from './stores.ts';

/** A user or key that changes something, inside a transaction of the stores. */
export type Acting = { stores: DashboardBound; project: Project; caller: Caller; rights: Rights };
