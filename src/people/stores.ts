/** All stores of this room over one connection or one transaction. */
import { withTransactions, type WithTransactions } from '../platform/db/transactions.ts';
import type { Knex } from '../platform/db/connection.ts';
import { accessControlStore } from './access/access-controls.store.ts';
import { accountStore } from './accounts/accounts.store.ts';
import { auditLogStore } from './audit/audit-log.store.ts';
import { keyStore } from './keys/keys.store.ts';
import { linkStore } from './accounts/links.store.ts';
import { inviteStore } from './organizations/invites.store.ts';
import { loginTryStore } from './accounts/login-tries.store.ts';
import { memberStore } from './organizations/members.store.ts';
import { organizationStore } from './organizations/organizations.store.ts';
import { projectStore } from './projects/projects.store.ts';
import { roleStore } from './access/roles.store.ts';
import { sessionStore } from './accounts/sessions.store.ts';
import { tenantStore } from './organizations/tenants.store.ts';
import { userStore } from './accounts/users.store.ts';

function bind(db: Knex) {
  return {
    accessControls: accessControlStore(db),
    accounts: accountStore(db),
    auditLog: auditLogStore(db),
    invites: inviteStore(db),
    keys: keyStore(db),
    links: linkStore(db),
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
export type BoundIdentityStores = ReturnType<typeof bind>;

export type IdentityStores = WithTransactions<BoundIdentityStores>;

export function identityStores(db: Knex): IdentityStores {
  return withTransactions(db, bind);
}
