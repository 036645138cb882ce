/** All stores of this room over one connection or one transaction. */
import { withProjectTurns, type WithProjectTurns } from '../platform/db/transactions.ts';
import type { Knex } from '../platform/db/connection.ts';
import { auditLogStore } from '../people/audit/audit-log.store.ts';
import { userStore } from '../people/accounts/users.store.ts';
import { cohortStore } from './cohorts/cohorts.store.ts';
import { listedPersonStore } from './cohorts/listed-persons.store.ts';
import { earlyAccessStore } from './extensions/early-access/features.store.ts';
import { experimentStore } from './extensions/experiments/experiments.store.ts';
import { holdoutStore } from './extensions/experiments/holdouts.store.ts';
import { featureFlagStore } from './feature-flags/feature-flags.store.ts';
import { referenceStore } from './feature-flags/references.store.ts';
import { relatedStore } from './feature-flags/related.store.ts';
import { surveyStore } from './extensions/surveys/surveys.store.ts';

function bind(db: Knex) {
  return {
    auditLog: auditLogStore(db),
    cohorts: cohortStore(db),
    earlyAccess: earlyAccessStore(db),
    experiments: experimentStore(db),
    flags: featureFlagStore(db),
    holdouts: holdoutStore(db),
    listedPersons: listedPersonStore(db),
    references: referenceStore(db),
    related: relatedStore(db),
    surveys: surveyStore(db),
    users: userStore(db),
  };
}

/** Stores that share one connection or transaction. */
export type BoundFlagStores = ReturnType<typeof bind>;

export type FlagStores = WithProjectTurns<BoundFlagStores>;

/** @param afterCommit awaited after each transaction, so the author sees the change in this process immediately */
export function flagStores(db: Knex, afterCommit?: (projectId: number) => Promise<void>): FlagStores {
  return withProjectTurns(db, bind, 'flagChanges', afterCommit);
}
