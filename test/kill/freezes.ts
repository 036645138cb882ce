/**
 * Frozen workers. A worker stands still (SIGSTOP) just before a step of a commit; others finish or replace the delivery, with more
 * rows or with fewer; then the frozen one goes on. Not one byte or row may change.
 */
import type { Step } from '../../activities/engine.ts';
import type { NewEvent } from '../../src/events/ingest/event-rows.ts';
import { eventually, type ExportWorld } from '../support/exports/export-world.ts';
import { workerOptions } from './kills.ts';
import { checkRows } from './oracle.ts';
import type { Place } from './places.ts';
import type { Random } from '../support/random.ts';
import { eventsOfHour, FIRST_HOUR } from './source.ts';
import { startWorkerProcess, type Verdict, type WorkerProcess } from './worker-process.ts';

const HOUR_MS = 3_600_000;
/** Hours that no other scene uses. */
const FIRST_SCENE_HOUR = 1_000;

/** The steps of a commit, from before it begins to after all is done, as the engine and the kind of destination name them. */
const STEPS: Record<string, readonly string[]> = {
  files: [
    'before-committing',
    'before-commit',
    'replacing',
    'file-0',
    'file-1',
    'manifest',
    'after-commit',
    'before-delivered',
  ],
  rows: ['before-committing', 'before-commit', 'rows', 'after-commit', 'before-delivered'],
};

/** The other workers' doings meanwhile. */
const MEANWHILES = [
  'finish it',
  'replace it with more',
  'replace it with fewer',
  'terminate it and replace it with more',
] as const;
type Meanwhile = (typeof MEANWHILES)[number];

type Scene = {
  place: Place;
  step: string;
  meanwhile: Meanwhile;
  hour: number;
  label: string;
  exportId: string;
  rows: NewEvent[];
  frozen?: WorkerProcess;
};

export type FreezesOptions = { world: ExportWorld; places: readonly Place[]; random: Random; most: number };

/** Scenes that stand still at the same time: each costs a process. */
const AT_ONCE = 4;

/** @returns sentences of what is wrong */
export async function freezes({ world, places, random, most }: FreezesOptions): Promise<string[]> {
  const scenes: Scene[] = [];
  for (const place of places) {
    for (const step of STEPS[place.type === 'Postgres' ? 'rows' : 'files']!) {
      const number = scenes.length;
      // Each way once with every place before any comes again, beginning where the seed says.
      const meanwhile = MEANWHILES[(number + random.below(2)) % MEANWHILES.length]!;
      scenes.push({
        place,
        step,
        meanwhile,
        hour: FIRST_SCENE_HOUR + number,
        label: `freeze-${number}`,
        exportId: '',
        rows: [],
      });
    }
  }
  const chosen = random.shuffled(scenes).slice(0, most);
  const problems: string[] = [];
  while (chosen.length > 0) problems.push(...(await playTogether(world, chosen.splice(0, AT_ONCE), random)));
  return problems;
}

async function playTogether(world: ExportWorld, scenes: Scene[], random: Random): Promise<string[]> {
  const crew = workers(world, scenes);
  try {
    await crew.start();
    await Promise.all(scenes.map(async (scene) => deliverFirst(world, scene, random)));
    crew.arm();
    await Promise.all(scenes.map(async (scene) => freezeAndReplace(world, scene, random)));
    const before = await Promise.all(scenes.map(async ({ place, label }) => place.snapshot(label)));
    for (const { frozen } of scenes) frozen?.thaw();
    await crew.settle();
    const after = await Promise.all(scenes.map(async ({ place, label }) => place.snapshot(label)));
    const problems: string[] = [];
    for (const [index, scene] of scenes.entries()) {
      const name = `${scene.place.type} frozen before ${scene.step}, others ${scene.meanwhile}`;
      const same = before[index] === after[index];
      console.log(`${name}: ${same ? 'not one byte or row changed' : 'CHANGED'}`);
      if (!same) problems.push(`${name}: the frozen worker changed what was delivered`);
      problems.push(
        ...(await checkRows(world, scene.place, scene.label, scene.rows)).map((problem) => `${name}: ${problem}`),
      );
    }
    return problems;
  } finally {
    await crew.end();
  }
}

/** One worker at work, another one whenever it is frozen. */
function workers(world: ExportWorld, scenes: readonly Scene[]) {
  const all: WorkerProcess[] = [];
  let armed = false;

  async function start(): Promise<void> {
    let own: WorkerProcess | undefined;
    const judge = (step: Step): Verdict => {
      const scene =
        armed && scenes.find((one) => !one.frozen && one.exportId === step.exportId && one.step === step.name);
      if (!scene || !own) return 'go';
      scene.frozen = own;
      own.freeze();
      own = undefined;
      void start();
      return 'hold';
    };
    own = await startWorkerProcess(workerOptions(world), judge);
    all.push(own);
  }

  return {
    start,
    arm() {
      armed = true;
    },
    /** Gives thawed workers time to try what they were about to do, several retries of the stores' clients included. */
    settle: () => new Promise<void>((resolve) => setTimeout(resolve, 6_000)),
    async end() {
      for (const worker of all) worker.kill();
      await Promise.all(all.map(({ exited }) => exited));
    },
  };
}

function rangeOf({ hour }: Scene) {
  const start = FIRST_HOUR + hour * HOUR_MS;
  return { startAt: new Date(start).toISOString(), endAt: new Date(start + HOUR_MS).toISOString() };
}

async function addRows(world: ExportWorld, scene: Scene, random: Random, count: number): Promise<void> {
  const events = eventsOfHour(random, scene.hour, count, 6_000);
  await world.store(events);
  scene.rows.push(...events);
}

/** A delivery of several files to begin with, so that there is something to replace. */
async function deliverFirst(world: ExportWorld, scene: Scene, random: Random): Promise<void> {
  const { batchExports, backfills, projectId } = world;
  await addRows(world, scene, random, 500);
  const created = await batchExports.create(projectId, {
    name: scene.label,
    model: 'events',
    destination: {
      type: scene.place.type,
      // Versioned files are never replaced.
      config: { ...scene.place.config(scene.label), ...(scene.step === 'replacing' && { layout: 'stable' }) },
    },
    interval: 'hour',
    paused: true,
    startAt: null,
    endAt: null,
  });
  scene.exportId = created.id;
  const { id } = await backfills.request(projectId, scene.exportId, rangeOf(scene));
  await ended(world, scene, id);
  await addRows(world, scene, random, 200);
}

async function ended(world: ExportWorld, { exportId, label }: Scene, backfillId: string): Promise<void> {
  const look = () => world.engine.stores.backfills.get(world.projectId, exportId, backfillId);
  const { status } = await eventually(
    `${label} to be delivered`,
    async () => {
      const backfill = await look();
      return backfill.status !== 'Running' && backfill;
    },
    180,
  );
  if (status !== 'Completed') throw new Error(`${label}: the backfill is ${status}`);
}

async function freezeAndReplace(world: ExportWorld, scene: Scene, random: Random): Promise<void> {
  const { backfills, engine, projectId } = world;
  const first = await backfills.request(projectId, scene.exportId, rangeOf(scene));
  await eventually(`${scene.label} to freeze before ${scene.step}`, async () => scene.frozen !== undefined, 400);
  const [run] = await engine.stores.runs.listOpen(scene.exportId);
  if (scene.meanwhile.startsWith('terminate') && run) {
    await engine.temporal.client.workflow.getHandle(run.workflowId, run.workflowRunId).terminate('by the kill test');
    await eventually(
      `${scene.label} to be closed`,
      async () => (await backfills.get(projectId, scene.exportId, first.id)).status !== 'Running',
      120,
    );
  } else await ended(world, scene, first.id);
  if (scene.meanwhile === 'finish it') return;

  if (scene.meanwhile.endsWith('more')) await addRows(world, scene, random, 400);
  else await removeRows(world, scene, 600);
  const second = await backfills.request(projectId, scene.exportId, rangeOf(scene));
  await ended(world, scene, second.id);
}

/** As a retention rule at the source would. */
async function removeRows({ engine, projectId }: ExportWorld, scene: Scene, count: number): Promise<void> {
  const gone = scene.rows.splice(0, count).map(({ uuid }) => uuid);
  await engine.pool.query('delete from events where project_id = $1 and uuid = any($2)', [projectId, gone]);
}
