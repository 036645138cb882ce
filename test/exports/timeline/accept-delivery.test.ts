/** Decisions about deliveries that the database does not know, while something else is asked for or under way. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Receipt } from '../../../src/exports/destinations/contract.ts';
import { foreignDeliveries } from '../../../src/exports/timeline/accept-delivery.ts';
import { SYSTEM_AUTHOR } from '../../../src/exports/batch-exports/audit.ts';
import { isoMicros } from '../../../src/exports/domain/instants.ts';
import type { Plan } from '../../../src/exports/domain/plan.ts';
import { ownershipOf } from '../../../src/exports/deliveries/ownership.ts';
import { buildExport, buildExportWorld, type ExportWorld } from '../../support/exports/export-world.ts';

const HOUR = 3_600_000;
const BEGINNING = Date.parse('2015-05-17T10:00:00Z');
const hour = (index: number) => ({ start: BEGINNING + index * HOUR, end: BEGINNING + (index + 1) * HOUR });

describe('accepting a foreign delivery', () => {
  let world: ExportWorld;
  let id: string;
  before(async () => {
    world = await buildExportWorld();
  });
  after(async () => world.close());
  beforeEach(async () => {
    ({ id } = await world.batchExports.create(world.projectId, buildExport({ paused: true })));
  });

  const keyOf = (index: number) => ({
    exportId: id,
    start: isoMicros(hour(index).start),
    end: isoMicros(hour(index).end),
  });

  async function buildRun(index: number) {
    const { start, end } = keyOf(index);
    const { stores } = world.engine;
    return stores.runs.open({
      projectId: world.projectId,
      batchExportId: id,
      start,
      end,
      kind: 'backfill',
      workflowId: randomUUID(),
      workflowRunId: randomUUID(),
      createdAt: await stores.batchExports.now(),
    });
  }

  /** A run that has taken its interval. */
  async function buildPlanned(index: number, place = 'here') {
    const { stores } = world.engine;
    const run = await buildRun(index);
    const epoch = await stores.ledger.takeEpoch(keyOf(index), run.id);
    const plan = {
      rows: 0,
      cutoff: '2015-05-18T00:00:00.000000Z',
      parts: [] as Plan['parts'],
      destination: { place },
    } as Plan;
    await stores.inTransaction((inside) => inside.runs.setPlan(run.id, plan, epoch));
    return { run, hold: { ...keyOf(index), epoch } };
  }

  /** Records a delivery of an hour at the destination, of a run that this database does not know. */
  async function find(index: number, overrides: Partial<Receipt> = {}): Promise<string> {
    const { stores } = world.engine;
    await stores.foreignDeliveries.recordFound(keyOf(index), {
      rows: 20,
      bytes: 1,
      digest: '1',
      location: 'there',
      epoch: 1,
      cutoff: '2015-05-17T12:00:00.000000Z',
      run_id: randomUUID(),
      timeline: null,
      ...overrides,
    });
    const waiting = await stores.foreignDeliveries.listWaiting(id, { limit: 10 });
    return waiting.find(({ end }) => end === keyOf(index).end)!.id;
  }

  const accept = async (found: string, side: 'theirs' | 'ours' = 'theirs') =>
    foreignDeliveries(world.engine).accept(world.projectId, id, found, side, SYSTEM_AUTHOR);
  const stillOpen = async () => world.engine.stores.runRequests.countOpen(id);

  /** An earlier run of the export, for its plan. */
  async function buildEarlier(): Promise<void> {
    const { run } = await buildPlanned(-1);
    await world.engine.stores.runs.close(run.id, { status: 'Failed', closedBy: 'run' });
  }

  it('answers earlier requests: nothing replaces it', async () => {
    await buildEarlier();
    const range = { startAt: keyOf(0).start, endAt: keyOf(1).end };
    const backfill = await world.backfills.request(world.projectId, id, range);
    await accept(await find(0));
    assert.equal(await stillOpen(), 1);
    await accept(await find(1));
    assert.equal(await stillOpen(), 0);
    const ended = await world.backfills.get(world.projectId, id, backfill.id);
    assert.deepEqual([ended.status, ended.totalRuns, ended.totalRecords], ['Completed', 2, 40]);
  });

  it('takes the interval out of a backfill that has not requested it yet', async () => {
    await buildEarlier();
    const { stores } = world.engine;
    const range = { start: hour(0).start, end: hour(2).end };
    const header = { projectId: world.projectId, batchExportId: id, kind: 'backfill' as const, ...range };
    const backfill = await stores.backfills.open({ ...header, wanted: [range], totalRuns: 3, waits: true });
    await accept(await find(1));
    await stores.backfills.endWaiting(backfill);
    const tiling = await stores.batchExports.getTiling(id);
    await stores.inTransaction((inside) => inside.backfills.writeRequests(backfill, tiling));
    assert.equal(await stillOpen(), 2);
    assert.equal(await stores.runRequests.findOpenKind(id, keyOf(1).end), undefined);
    assert.equal((await stores.backfills.get(world.projectId, id, backfill)).totalRuns, 2);
  });

  it('takes the plan, and by that the place, of the time when the delivery was found: the export may have moved since', async () => {
    await buildEarlier();
    const theirs = randomUUID();
    const found = await find(0, { run_id: theirs });
    const { run } = await buildPlanned(1, 'elsewhere');
    await world.engine.stores.runs.close(run.id, { status: 'Failed', closedBy: 'run' });
    await accept(found);
    const { plan } = await world.engine.stores.runs.get(world.projectId, id, theirs);
    assert.equal(plan?.destination?.place, 'here');
  });

  it('is refused while a run is requested, which may begin any moment', async () => {
    await buildEarlier();
    const { stores } = world.engine;
    const [request] = await stores.runRequests.open(id, [hour(0)], 'backfill');
    await stores.runRequests.markAsked(request!, '');
    const found = await find(0);
    await assert.rejects(accept(found), { name: 'Conflict', message: /was requested/ });
    assert.equal(await stillOpen(), 1);
    assert.equal((await stores.ledger.find(keyOf(0)))?.receipt, undefined);
  });

  it('fences a commit that froze before it looked: it does not take for its own what was accepted meanwhile', async () => {
    const { stores } = world.engine;
    const { run, hold } = await buildPlanned(0);
    await stores.ledger.beginCommit(hold);
    const theirs = randomUUID();
    // The retry found a foreign delivery: the run failed, and an operator accepts it.
    const ownership = ownershipOf(stores, hold);
    assert.equal(await ownership.knowsRun(theirs), false);
    await stores.ledger.reopen(hold);
    await stores.runs.close(run.id, { status: 'Failed', closedBy: 'run' });
    await accept(await find(0, { run_id: theirs, epoch: 0 }));
    const superseded = { name: 'Superseded', message: `superseded by run ${theirs}` };
    await assert.rejects(ownership.knowsRun(theirs), superseded);
    await assert.rejects(ownership.findLastReceipt(), superseded);
    await assert.rejects(stores.ledger.beginCommit(hold), { name: 'Superseded' });
    // A run that begins now knows it, under an epoch above all of them.
    const entry = (await stores.ledger.find(keyOf(0)))!;
    assert.ok(entry.epoch > hold.epoch);
    assert.equal((await stores.runs.getDeliveredRun(id, keyOf(0).end)).epoch, entry.epoch);
    const next = await buildPlanned(0);
    assert.equal(await ownershipOf(stores, next.hold).knowsRun(theirs), true);
  });

  it('is needed for a run that the database knows from before its plan, and makes it one that delivered', async () => {
    await buildEarlier();
    const { stores } = world.engine;
    const unplanned = await buildRun(0);
    const found = await find(0, { run_id: unplanned.id, epoch: 1000 });
    await assert.rejects(accept(found), { name: 'Conflict', message: /under way/ });
    await stores.runs.close(unplanned.id, { status: 'FailedRetryable', closedBy: 'reconciler', latestError: 'Lost.' });
    const next = await buildPlanned(0);
    assert.equal(await ownershipOf(stores, next.hold).knowsRun(unplanned.id), false);
    await stores.runs.close(next.run.id, { status: 'Failed', closedBy: 'run' });
    await accept(found);
    const adopted = (await stores.runs.findNewestOfInterval(id, keyOf(0).end))!;
    assert.deepEqual(
      [adopted.id, adopted.status, adopted.recordsCompleted, adopted.latestError, adopted.epoch],
      [unplanned.id, 'Completed', 20, null, 1000],
    );
    assert.equal((await stores.ledger.find(keyOf(0)))?.runId, adopted.id);
    const last = await buildPlanned(0);
    assert.equal(await ownershipOf(stores, last.hold).knowsRun(unplanned.id), true);
  });

  it('leaves a run of another export alone, whose id the destination claims', async () => {
    await buildEarlier();
    const { stores } = world.engine;
    const ours = id;
    ({ id } = await world.batchExports.create(world.projectId, buildExport({ name: 'Other', paused: true })));
    const others = await buildRun(0);
    id = ours;
    await accept(await find(0, { run_id: others.id, epoch: 1000 }));
    const untouched = await stores.runs.getById(others.id);
    assert.deepEqual([untouched.status, untouched.plan], ['Starting', null]);
    const adopted = (await stores.runs.findNewestOfInterval(id, keyOf(0).end))!;
    assert.deepEqual([adopted.status, adopted.id === others.id], ['Completed', false]);
  });

  it('is refused once the interval was delivered, because the foreign delivery is gone', async () => {
    const { stores } = world.engine;
    const found = await find(0);
    await find(1);
    const { hold } = await buildPlanned(0);
    await stores.ledger.beginCommit(hold);
    const cutoff = '2015-05-18T00:00:00.000000Z';
    await stores.ledger.markDelivered(hold, {
      rows: 0,
      bytes: 0,
      digest: '0',
      location: 'there',
      epoch: hold.epoch,
      cutoff,
      timeline: null,
    });
    await assert.rejects(accept(found), { name: 'NotFound' });
    const waiting = await stores.foreignDeliveries.listWaiting(id, { limit: 10 });
    assert.deepEqual(
      waiting.map(({ end }) => end),
      [keyOf(1).end],
    );
  });

  it('begins the grace period of files that an earlier commit had recorded', async () => {
    const { stores, pool } = world.engine;
    const { run, hold } = await buildPlanned(0);
    await stores.supersededFiles.record(hold, run.id, ['a']);
    await stores.runs.close(run.id, { status: 'Failed', closedBy: 'run' });
    await accept(await find(0));
    const { rows } = await pool.query('select left_at is not null as left from superseded_files where run_id = $1', [
      run.id,
    ]);
    assert.deepEqual(rows, [{ left: true }]);
  });
});
