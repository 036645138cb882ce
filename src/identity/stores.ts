/** All stores of this room over one connection or one transaction. */
import type { Knex } from '../db/connection.ts';
import { accessControlStore } from './access-controls.store.ts';
import { activityStore } from './activity.store.ts';
import { keyStore } from './keys.store.ts';
import { projectStore } from './projects.store.ts';
import { sessionStore } from './sessions.store.ts';
import { tenantStore } from './tenants.store.ts';
import { userStore } from './users.store.ts';

function bind(db: Knex) {
  return {
    accessControls: accessControlStore(db),
    activity: activityStore(db),
    keys: keyStore(db),
    projects: projectStore(db),
    sessions: sessionStore(db),
    tenants: tenantStore(db),
    users: userStore(db),
  };
}

/** Stores that share one connection or transaction. */
export type IdentityBound = ReturnType<typeof bind>;

export type IdentityStores = IdentityBound & {
  /** Runs the work with stores that share one transaction; it commits when the work returns. */
  inTransaction<T>(work: (stores: IdentityBound) => Promise<T>): Promise<T>;
};

export function identityStores(db: Knex): IdentityStores {
  return {
    ...bind(db),
    inTransaction: (work) => db.transaction((transaction) => work(bind(transaction))),
  };
}
