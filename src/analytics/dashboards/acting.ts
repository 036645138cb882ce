import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import type { DashboardBound } from './stores.ts';

/** A user or key that changes something, inside a transaction of the room's stores. */
export type Acting = { stores: DashboardBound; project: Project; caller: Caller; rights: Rights };
