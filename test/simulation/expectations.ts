/** Whether an export has become what the model says, once nothing goes on any more. */
import assert from 'node:assert/strict';
import { isoSeconds } from '../../src/exports/domain/instants.ts';
import type { Run } from '../../src/exports/runs/run-rows.ts';
import { runsOf, type Command, type Life } from './commands.ts';
import { placeKey, type Delivered, type Found } from './delivered.ts';
import { isSinceRestore, type Foreign, type Story } from './story.ts';

/** The statuses that an interval's last run may have when no run will follow by itself. */
const FINAL = ['Completed', 'Cancelled'];

/** Whether something in a life says no for good: its destination, or what another timeline has left there. */
function mayFailForGood(commands: readonly Command[]): boolean {
  return commands.some(
    (command) => command.do === 'restore' || (command.do === 'weather' && command.weather === 'rejecting'),
  );
}

/** An interval that ended so recently may not be delivered yet. */
const UNDER_WAY = 10 * 60_000;

/**
 * @param commands all of the life
 * @param now of the product's clock
 * @param underWay milliseconds
 */
export async function assertExpected(
  life: Life,
  commands: readonly Command[],
  now: number,
  adopted: Foreign['adopted'],
  underWay = UNDER_WAY,
): Promise<void> {
  const { world, id, model } = life;
  const runs = await runsOf(life);
  const final = mayFailForGood(commands) ? [...FINAL, 'Failed'] : FINAL;
  const tiles = new Map(model.tiles(model.createdAt - 300 * 3_600_000, now).map((tile) => [tile.end, tile]));
  for (const run of runs) if (!adopted.has(run.id)) assertWanted(life, run, tiles.get(Date.parse(run.end))?.start, now);

  // An export that fails too often gives its backfills up.
  const cancelled = await cancelledBackfills(life);
  if (cancelled.size > 0) assert.ok(runs.some(({ status }) => status === 'Failed'));
  for (const { end } of tiles.values()) {
    const ofInterval = runs.filter((run) => Date.parse(run.end) === end);
    const last = ofInterval.at(-1)?.status ?? 'no run';
    if (model.isDue(end, now - underWay)) assert.ok(final.includes(last), `${isoSeconds(end)} is due and has ${last}`);
    const wishes = model.wishes.filter((wish) => wish.end === end && !cancelled.has(wish.backfill));
    for (const wish of wishes) assertGranted(wish, ofInterval);
  }

  const delivered = runs.filter(({ status }) => status === 'Completed').map(({ end }) => end);
  const ledger = await Array.fromAsync(deliveredOf(life));
  assert.deepEqual(ledger, [...new Set(delivered)].sort());
  const row = (await world.engine.stores.schedules.find(id))!;
  assert.equal(row.scheduleVersion, row.version);
  assert.deepEqual(
    await world.engine.schedules.compare(row),
    { difference: 'no' },
    'the schedule says what the row says',
  );
  assert.equal(row.paused, model.paused);
}

async function cancelledBackfills({ world, id, model }: Life): Promise<Set<string | null>> {
  const cancelled = new Set<string | null>();
  for (const backfill of new Set(model.wishes.map((wish) => wish.backfill))) {
    if (backfill === null) continue;
    const { status } = await world.backfills.get(world.projectId, id, backfill);
    if (status === 'Cancelled') cancelled.add(backfill);
  }
  return cancelled;
}

async function* deliveredOf({ world, id }: Life): AsyncGenerator<string> {
  const all = await world.engine.stores.ledger.listDeliveries(
    id,
    { from: '-infinity', to: 'infinity', after: '-infinity' },
    10_000,
  );
  for (const { end } of all) yield end;
}

/** A run is of one of the model's intervals, which was due or asked for. */
function assertWanted({ model, rows, redeliverStale }: Life, run: Run, start: number | undefined, now: number): void {
  const end = Date.parse(run.end);
  assert.equal(Date.parse(run.start), start, `${run.start}/${run.end} is an interval of the export`);
  const isStale = run.kind === 'stale' && redeliverStale && rows.joined(intervalOf(run), 0);
  const wanted = isStale || model.isDue(end, now) || model.wishes.some((wish) => wish.end === end);
  assert.ok(wanted, `somebody wanted ${run.end} (${run.kind})`);
}

/** A wish is granted by a run that was planned after the asking, however that ended. */
function assertGranted(wish: { end: number; at: number }, runs: readonly Run[]): void {
  const after = runs.filter(({ plan }) => plan && Date.parse(plan.cutoff) >= wish.at);
  assert.ok(after.length > 0, `${isoSeconds(wish.end)} was asked for at ${isoSeconds(wish.at)}`);
}

const intervalOf = (run: Run) => ({ start: Date.parse(run.start), end: Date.parse(run.end) });

/** Of each interval the last run that delivered it. */
function lastDeliveries(runs: readonly Run[]): Run[] {
  const delivered = runs.filter(({ status }) => status === 'Completed');
  delivered.sort((a, b) => Date.parse(a.finishedAt!) - Date.parse(b.finishedAt!));
  return [...new Map(delivered.map((run) => [run.end, run])).values()];
}

/**
 * Every row of every interval is where it was to be delivered, once, and nothing else is there.
 * @param story with all exports that ever were, also those that are deleted
 * @param recorded keys of uploads that the product still has on record, and of files that it is to delete
 */
export async function assertDelivered(
  story: Pick<Story, 'lives' | 'foreign'>,
  { delivered, strays, halfWay }: Found,
  recorded: readonly string[],
): Promise<void> {
  const expected: Delivered = new Map();
  const at = new Map<string, number>();
  const { remaining, accepted, adopted, strays: forgotten } = story.foreign;
  const since = new Set<string>();
  for (const life of story.lives) {
    for (const run of await runsOf(life)) {
      if (run.status !== 'Completed') continue;
      const { turn, directory } = life.planned(run);
      const key = adopted.get(run.id)?.key ?? placeKey(directory, run.start, run.end);
      if (isSinceRestore(story, run)) since.add(key);
      if ((at.get(key) ?? 0) > Date.parse(run.finishedAt!)) continue;
      at.set(key, Date.parse(run.finishedAt!));
      expected.set(key, adopted.get(run.id)?.uuids ?? life.rows.of(life.name, intervalOf(run), turn));
    }
  }
  // Another timeline's deliveries, also half ones, are as they were: see `assertForeignUnchanged`.
  for (const [key, { isKnown, runId }] of remaining) {
    if (since.has(key)) assert.ok(isKnown || accepted.has(runId), `nobody let ${key} be replaced`);
    else for (const found of [delivered, halfWay, expected]) found.delete(key);
  }
  assert.deepEqual([...halfWay], [], 'no delivery is left half way');
  for (const [key, uuids] of expected) {
    const found = delivered.get(key);
    assert.ok(found, `${key} is there`);
    const lost = uuids.filter((uuid) => !found.includes(uuid));
    const foreign = found.filter((uuid) => !uuids.includes(uuid));
    const doubled = found.length - new Set(found).size;
    assert.deepEqual({ lost, foreign, doubled }, { lost: [], foreign: [], doubled: 0 }, key);
  }
  assert.deepEqual(
    [...delivered.keys()].filter((key) => !expected.has(key)),
    [],
    'nothing is delivered that no run says it delivered',
  );
  // Files of earlier deliveries stay for readers, and are on record to be deleted. Under stable names a commit that broke off leaves
  // its visible files, which are never deleted: they stay on record. All other staged files go.
  const left = strays.filter((file) => !forgotten.has(file) && !recorded.some((key) => key.endsWith(`/${file}`)));
  assert.deepEqual(left, [], 'nothing that was staged is left');
}

/** Exactly the intervals that history has joined since their delivery are reported stale, or were delivered again. */
export async function assertStale(life: Life, { remaining }: Foreign): Promise<void> {
  const { world, id, rows, model, planned, redeliverStale } = life;
  const { rows: reported } = await world.engine.pool.query<{ end: string }>(
    `select data_interval_end as "end" from batch_export_troubles where batch_export_id = $1 and kind = 'stale'`,
    [id],
  );
  const last = lastDeliveries(await runsOf(life));
  const stale = last.filter((run) => rows.joined(intervalOf(run), planned(run).turn)).map(({ end }) => end);
  assert.deepEqual(reported.map(({ end }) => end).sort(), stale.sort(), 'stale intervals are reported');
  if (!redeliverStale || model.paused) return;
  // Intervals of which another timeline's delivery is there wait for an operator.
  const own = last.filter(
    (run) => stale.includes(run.end) && !remaining.has(placeKey(model.directory, run.start, run.end)),
  );
  assert.deepEqual(
    own.map(({ end }) => end),
    [],
    'stale intervals are delivered again',
  );
}
