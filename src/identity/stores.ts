/** All stores of this room over one connection or one transaction. */
import type { Knex } from '../db/connection.ts';
import { accessControlStore } from './access-controls.store.ts';
import { accountStore } from './accounts.store.ts';
import { auditLogStore } from './audit-log.store.ts';
import { keyStore } from './keys.store.ts';
import { inviteStore } from './invites.store.ts';
import { loginTryStore } from './login-tries.store.ts';
import { memberStore } from './members.store.ts';
import { organizationStore } from './organizations.store.ts';
import { projectStore } from './projects.store.ts';
import { roleStore } from './roles.store.ts';
import { sessionStore } from './sessions.store.ts';
import { tenantStore } from './tenants.store.ts';
import { userStore } from './users.store.ts';

function bind(db: Knex) {
  return {
    accessControls: accessControlStore(db),
    accounts: accountStore(db),
    auditLog: auditLogStore(db),
    invites: inviteStore(db),
    keys: keyStore(db),
    loginTries: loginTryStore(db),
    members: memberStore(db),
    organizations: organizationStore(db),
    projects: projectStore(db),
    roles: roleStore(db),
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
