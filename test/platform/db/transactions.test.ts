/** Transactions of every store repeat when Postgres undoes them for the sake of another. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dashboardStores } from '../../../src/analytics/dashboards/stores.ts';
import { personAndGroupStores } from '../../../src/events/records/stores.ts';
import { flagStores } from '../../../src/flags/stores.ts';
import { seedDemo } from '../../../src/people/demo.store.ts';
import { identityStores } from '../../../src/people/stores.ts';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { inTransaction } from '../../../src/platform/db/transactions.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts';

/** A transaction of the stores under test, for the first or the second of two; the work locks one of two rows. */
type Transact = (nth: 0 | 1, work: (lockRow: (row: 0 | 1) => Promise<unknown>) => Promise<void>) => Promise<unknown>;

const SRC = new URL('../../../src/', import.meta.url);
/** Stores whose transactions read only, wait for nothing that another holds, or are savepoints of a transaction that is repeated. */
const WITHOUT_REPETITION = [
  'analytics/insights/results/results.store.ts',
  'flags/feature-flags/feature-flags.store.ts',
  'flags/usage.store.ts',
  'platform/db/transactions.ts',
];

/** @returns how often a transaction was begun */
async function meetInDeadlock(transact: Transact): Promise<number> {
  const bothHold = Promise.withResolvers<void>();
  let attempts = 0;
  let held = 0;
  const inOrder = (first: 0 | 1, second: 0 | 1) =>
    transact(first, async (lockRow) => {
      attempts += 1;
      await lockRow(first);
      // Counted once it has its row: the other may have begun and not have its own yet.
      held += 1;
      if (held === 2) bothHold.resolve();
      await bothHold.promise;
      await lockRow(second);
    });
  await Promise.all([inOrder(0, 1), inOrder(1, 0)]);
  return attempts;
}

describe('transactions that meet in a deadlock both commit', () => {
  let database: TestDatabase;
  let db: Knex;
  let projects: [number, number];
  let organizations: [string, string];

  before(async () => {
    database = await createTestDatabase();
    db = createKnex({ url: database.url, applicationName: 'test' });
    const identity = identityStores(db);
    const demo = await seedDemo(db);
    const other = await identity.organizations.create('Other');
    organizations = [demo.organizationId, other.id];
    projects = [demo.projectId, (await identity.projects.create(other.id, 'phc_other', { name: 'Other' })).id];
  });
  after(async () => {
    await db.destroy();
    await database.drop();
  });

  it('in the stores of identity', async () => {
    const stores = identityStores(db);
    const attempts = await meetInDeadlock((_nth, work) =>
      stores.inTransaction((inside) => work((row) => inside.organizations.lock(organizations[row]))),
    );
    assert.equal(attempts, 3);
  });

  it('in the stores of persons and groups', async () => {
    const stores = personAndGroupStores(db);
    await db('group_types').insert({ project_id: projects[0], group_type_index: 0, group_type: 'company' });
    const names = [{ projectId: projects[0], typeIndex: 0, key: 'a' }, { projectId: projects[0], typeIndex: 0, key: 'b' }] as const; // prettier-ignore
    for (const name of names) await stores.groups.create(name, {});
    const attempts = await meetInDeadlock((_nth, work) =>
      stores.inTransaction((inside) => work((row) => inside.groups.setProperty(names[row], 'size', 1))),
    );
    assert.equal(attempts, 3);
  });

  it('in the stores of flags, and each change is announced once', async () => {
    const announced: number[] = [];
    const stores = flagStores(db, async (projectId) => void announced.push(projectId));
    const fields = { name: 'Holdout', description: '', exclusion_percentage: 10 };
    const ids = [(await stores.holdouts.insert(projects[0], null, fields)).id, (await stores.holdouts.insert(projects[0], null, fields)).id] as const; // prettier-ignore
    const attempts = await meetInDeadlock((nth, work) =>
      stores.inTransaction(projects[nth], (inside) =>
        work((row) => inside.holdouts.update(ids[row], { description: 'x' })),
      ),
    );
    assert.equal(attempts, 3);
    assert.deepEqual(new Set(announced), new Set(projects));
    assert.equal(announced.length, 2);
  });

  it('in the stores of dashboards', async () => {
    const stores = dashboardStores(db);
    const insert = (projectId: number) =>
      stores.texts.insert({ project_id: projectId, body: '', created_by: null, last_modified_by: null });
    const texts = [await insert(projects[0]), await insert(projects[1])] as const;
    const attempts = await meetInDeadlock((nth, work) =>
      stores.inTransaction(projects[nth], (inside) =>
        work((row) => inside.texts.update(projects[row], texts[row].id, { body: 'x', last_modified_by: null })),
      ),
    );
    assert.equal(attempts, 3);
  });

  it('as a whole, where one of them was in a savepoint', async () => {
    await db.raw('create table counters (id int primary key, n int); insert into counters values (0, 0), (1, 0)');
    let savepoints = 0;
    const raise = (transaction: Knex, id: number) =>
      inTransaction(transaction, async (savepoint) => {
        savepoints += 1;
        return savepoint('counters').where({ id }).increment('n');
      });
    const attempts = await meetInDeadlock((_nth, work) =>
      inTransaction(db, (transaction) => work((id) => raise(transaction, id))),
    );
    assert.deepEqual([attempts, savepoints], [3, 6], 'a savepoint that failed is repeated with the whole');
    assert.deepEqual(await db('counters').select('n'), [{ n: 2 }, { n: 2 }]);
  });

  it('as serialization failures do, four attempts at most', async () => {
    let attempts = 0;
    const failing = inTransaction(db, async (transaction) => {
      attempts += 1;
      await transaction.raw(`do $$ begin raise exception 'no' using errcode = 'serialization_failure'; end $$`);
    });
    await assert.rejects(failing, { code: '40001' });
    assert.equal(attempts, 4);
  });

  it('also in stores that are written later: no other file begins transactions by itself', () => {
    const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const beginning = files.filter((name) => /\.transaction\(/.test(readFileSync(new URL(name, SRC), 'utf8')));
    assert.deepEqual(beginning.sort(), WITHOUT_REPETITION);
  });
});
