/**
 * A restore's effect on a story, and what may not happen after it. The database, and with it exports, runs and rows, goes back to its
 * backup. Temporal, what was delivered, and time do not.
 */
import assert from 'node:assert/strict';
import { Conflict } from '../../src/platform/errors.ts';
import { SYSTEM_AUTHOR } from '../../src/exports/batch-exports/audit.ts';
import { runsOf, type Command, type Life } from './commands.ts';
import { Model } from './model.ts';
import { existingLives, type Remaining, type Story } from './story.ts';

/** While deliveries are blocked there is nothing to go back to. */
export async function takeBackup({ world, lives, deleted, rows, foreign }: Story): Promise<void> {
  if (foreign.blocked !== undefined) return;
  await world.backUp();
  foreign.backUp = {
    lives: lives.map((life) => ({ life, model: Model.copyOf(life.model) })),
    deleted: [...deleted],
    rows: rows.present(),
    witness: world.temporal.witness(),
  };
}

export async function restore(story: Story, restarts: boolean): Promise<void> {
  const { world, deleted, rows, foreign } = story;
  const { backUp } = foreign;
  if (!backUp) return;
  await assertForeignUnchanged(story);
  await world.restore(restarts);
  story.lives = backUp.lives.map(({ life, model }) => Object.assign(life, { model: Model.copyOf(model) }));
  deleted.clear();
  for (const life of backUp.deleted) deleted.add(life);
  rows.goBack(backUp.rows);
  await noticeWhatRemains(story);

  const isOther = world.temporal.witness() !== backUp.witness;
  // A worker that goes on delivers until its next round, what it knows: only the commits protect then.
  if (!restarts) await world.settle();
  assert.equal(
    (await world.engine.timeline.blockReason()) !== undefined,
    isOther,
    'the witness tells a restored database',
  );
  if (isOther) foreign.blocked = await world.hashOfDeliveries();
  else delete foreign.blocked;
}

async function noticeWhatRemains({ world, foreign }: Story): Promise<void> {
  const known = await world.knownRuns();
  const { deliveries, strays } = await world.delivered();
  foreign.restoredAt = await world.engine.stores.batchExports.now();
  foreign.accepted.clear();
  foreign.remaining = new Map();
  for (const [key, one] of deliveries) {
    const isKnown = known.has(one.runId);
    if (known.get(one.runId) !== 'Completed') foreign.remaining.set(key, { ...one, isKnown });
  }
  for (const file of strays) foreign.strays.add(file);
}

export async function assertNothingWhileBlocked({ world, foreign }: Story): Promise<void> {
  if (foreign.blocked === undefined) return;
  assert.equal(await world.hashOfDeliveries(), foreign.blocked, 'while deliveries are blocked nothing is delivered');
}

/**
 * Each delivery that the database does not know is as the restore found it, to the last byte, unless an operator let it be replaced, or
 * adopted it and something was asked for after that.
 */
export async function assertForeignUnchanged(story: Story): Promise<void> {
  const { world, foreign } = story;
  const { deliveries } = await world.delivered();
  for (const [key, { isKnown, ...found }] of foreign.remaining) {
    if (isKnown || foreign.accepted.get(found.runId)?.side === 'ours') continue;
    if (await isAskedForSinceAdopted(story, key, found)) continue;
    assert.deepEqual(deliveries.get(key), found, `${key}: what another timeline delivered stays as it is`);
  }
}

/** By a person, or because history has joined it. */
async function isAskedForSinceAdopted(
  { lives, foreign }: Story,
  key: string,
  { exportId, runId }: Omit<Remaining, 'isKnown'>,
): Promise<boolean> {
  const accepted = foreign.accepted.get(runId);
  const life = lives.find(({ id }) => id === exportId);
  if (!accepted || !life) return false;
  const end = key.split(' ').at(-1)!;
  if (life.model.wishes.some((wish) => wish.end === Date.parse(end) && wish.at >= accepted.at)) return true;
  const runs = await runsOf(life);
  return runs.some((run) => run.end === end && run.kind === 'stale' && Date.parse(run.createdAt) >= accepted.at);
}

export async function recover(story: Story): Promise<void> {
  const { world, foreign } = story;
  if (foreign.blocked === undefined) return;
  await world.recover();
  delete foreign.blocked;
  await assertForeignUnchanged(story);
  assert.equal(await world.engine.timeline.blockReason(), undefined, 'deliveries go on');
  for (const life of existingLives(story)) await assertListed(story, life);
}

/** Every foreign delivery of the export, at the place that it has now, waits for an operator. */
async function assertListed({ world, foreign }: Story, { id, model: { directory } }: Life): Promise<void> {
  const { listWaiting } = world.foreignDeliveries;
  const listed = new Set((await listWaiting(id, { limit: 10_000 })).map(({ runId }) => runId));
  for (const [key, { exportId, runId, isKnown }] of foreign.remaining) {
    if (isKnown || exportId !== id || !key.startsWith(`${directory} `) || foreign.accepted.has(runId)) continue;
    assert.ok(listed.has(runId), `${key} of another timeline is listed`);
  }
}

/** An operator decides about one of the deliveries that wait for it. */
export async function acceptDelivery(story: Story, { side, nth }: Extract<Command, { do: 'accept' }>): Promise<void> {
  const { world, foreign } = story;
  const { id, model } = story.lives.at(-1)!;
  const waiting = await world.foreignDeliveries.listWaiting(id, { limit: 100 });
  const one = waiting[nth % Math.max(waiting.length, 1)];
  if (!one) return;
  const runId = one.runId!;
  const { deliveries, delivered } = await world.delivered();
  const [key] = [...deliveries].find(([, found]) => found.runId === runId)!;
  try {
    await world.foreignDeliveries.accept(world.projectId, id, one.id, side, SYSTEM_AUTHOR);
  } catch (error) {
    // A run of the interval is under way, or none has been planned yet.
    if (error instanceof Conflict && side === 'theirs') return;
    throw error;
  }
  foreign.accepted.set(runId, { side, at: world.clock.now() });
  if (side === 'theirs') {
    const uuids = delivered.get(key);
    assert.ok(uuids, 'only a complete delivery is adopted');
    foreign.adopted.set(runId, { key, uuids });
  } else {
    model.wish([Date.parse(one.end)], world.clock.now(), null);
  }
}
