/** All stores of this room over one connection or one transaction. */
import { withProjectTurns, type WithProjectTurns } from '../../platform/db/transactions.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { accessControlStore } from '../../people/access/access-controls.store.ts';
import { auditLogStore } from '../../people/audit/audit-log.store.ts';
import { userStore } from '../../people/accounts/users.store.ts';
import { collaboratorStore } from './collaborators/collaborators.store.ts';
import { dashboardStore } from './dashboards.store.ts';
import { insightStore } from '../insights/insights.store.ts';
import { configurationStore } from '../sharing/configurations.store.ts';
import { sharePasswordStore } from '../sharing/passwords.store.ts';
import { buttonStore } from './tiles/buttons.store.ts';
import { textStore } from './tiles/texts.store.ts';
import { tileStore } from './tiles/tiles.store.ts';

function bind(db: Knex) {
  return {
    accessControls: accessControlStore(db),
    auditLog: auditLogStore(db),
    buttons: buttonStore(db),
    collaborators: collaboratorStore(db),
    dashboards: dashboardStore(db),
    insights: insightStore(db),
    sharePasswords: sharePasswordStore(db),
    sharing: configurationStore(db),
    texts: textStore(db),
    tiles: tileStore(db),
    users: userStore(db),
  };
}

/** Stores that share one connection or transaction. */
export type BoundDashboardStores = ReturnType<typeof bind>;

export type DashboardStores = WithProjectTurns<BoundDashboardStores>;

export function dashboardStores(db: Knex): DashboardStores {
  return withProjectTurns(db, bind, 'dashboardChanges');
}
