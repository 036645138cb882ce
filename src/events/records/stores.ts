/** The stores of persons and groups over one connection or one transaction. */
import { withTransactions, type WithTransactions } from '../../platform/db/transactions.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { auditLogStore } from '../../people/audit/audit-log.store.ts';
import { erasureStore } from './erasures.store.ts';
import { groupTypeStore } from './group-types.store.ts';
import { groupStore } from './groups.store.ts';
import { personStore } from './persons.store.ts';
import { remainderStore } from './remainders.store.ts';

function bind(db: Knex) {
  return {
    auditLog: auditLogStore(db),
    erasures: erasureStore(db),
    groups: groupStore(db),
    groupTypes: groupTypeStore(db),
    persons: personStore(db),
    remainders: remainderStore(db),
  };
}

/** Stores that share one connection or transaction. */
export type BoundPersonAndGroupStores = ReturnType<typeof bind>;

export type PersonAndGroupStores = WithTransactions<BoundPersonAndGroupStores>;

export function personAndGroupStores(db: Knex): PersonAndGroupStores {
  return withTransactions(db, bind);
}
