/**
 * One backfill of all three exports while the worker is killed again and again, each time when a certain step is reached. At
 * the end every place holds exactly the source's rows.
 */
import type { Step } from '../../activities/engine.ts';
import { eventually, type ExportWorld } from '../support/exports/export-world.ts';
import { checkRows } from './oracle.ts';
import type { Place } from './places.ts';
import type { Random } from '../support/random.ts';
import { eventsOfHours, FIRST_HOUR } from './source.ts';
import { startWorkerProcess, type Verdict, type WorkerProcess } from './worker-process.ts';

const HOUR_MS = 3_600_000;

/** Steps of a run, by what a kill there proves. Each is killed at least twice when all kills are made. */
const TARGETS: { what: string; matches(step: string): boolean }[] = [
  { what: 'after the plan', matches: (step) => step === 'after-plan' },
  { what: 'in a part', matches: (step) => /^part-\d+-begin$/.test(step) },
  { what: 'between parts', matches: (step) => /^part-\d+-end$/.test(step) },
  { what: 'before a commit', matches: (step) => step === 'before-commit' },
  { what: 'inside a commit', matches: (step) => /^file-\d+$/.test(step) || step === 'rows' },
  { what: 'between file and manifest', matches: (step) => step === 'manifest' },
  { what: 'after a commit', matches: (step) => step === 'after-commit' },
  { what: 'before the delivery is recorded', matches: (step) => step === 'before-delivered' },
  { what: 'between an upload and its record', matches: (step) => step === 'upload-begun' },
];

export type KillsOptions = {
  world: ExportWorld;
  places: readonly Place[];
  random: Random;
  kills: number;
  hours: number;
  terminate: boolean;
};

/** @returns sentences of what is wrong; none: all is well */
export async function kills({
  world,
  places,
  random,
  kills: wanted,
  hours,
  terminate,
}: KillsOptions): Promise<string[]> {
  const source = eventsOfHours(random, hours);
  await world.store(source);
  const labels = new Map<string, Place>();
  const exportIds: string[] = [];
  for (const place of places) {
    const label = `kills-${place.type.toLowerCase()}`;
    labels.set(label, place);
    const created = await world.batchExports.create(world.projectId, {
      name: label,
      model: 'events',
      destination: { type: place.type, config: place.config(label) },
      interval: 'hour',
      paused: true,
      startAt: null,
      endAt: null,
    });
    exportIds.push(created.id);
  }
  const typeOf = new Map(exportIds.map((id, index) => [id, places[index]!.type]));

  const open = random.shuffled(Array.from({ length: wanted }, (_, index) => TARGETS[index % TARGETS.length]!));
  let done = 0;
  let toTerminate = terminate;
  const stopping = new AbortController();
  let worker: WorkerProcess | undefined;

  const judge = (step: Step): Verdict => {
    const at = open.findIndex(({ matches }) => matches(step.name));
    // Not always the first chance, so that kills spread over the backfill; the last ones take what comes.
    if (at < 0 || (random.next() > 0.35 && done < wanted / 2)) return 'go';
    const [target] = open.splice(at, 1);
    done += 1;
    const where = `${typeOf.get(step.exportId)} ${step.end} run ${step.runId}`;
    if (toTerminate && /commit|file|manifest/.test(step.name)) {
      toTerminate = false;
      console.log(`kill ${done}/${wanted} ${target!.what} (${step.name}), and its workflow terminated: ${where}`);
      void terminateRun(world, step);
    } else console.log(`kill ${done}/${wanted} ${target!.what} (${step.name}): ${where}`);
    return 'kill';
  };
  const keepAlive = (async () => {
    while (!stopping.signal.aborted) {
      worker = await startWorkerProcess(workerOptions(world), judge).catch(() => undefined);
      await worker?.exited;
    }
  })();

  const range = {
    startAt: new Date(FIRST_HOUR).toISOString(),
    endAt: new Date(FIRST_HOUR + hours * HOUR_MS).toISOString(),
  };
  const backfills = await Promise.all(exportIds.map((id) => world.backfills.request(world.projectId, id, range)));
  await eventually(
    'all backfills to end and all intervals to be settled',
    async () => {
      const states = await Promise.all(
        backfills.map(({ id }, index) => world.engine.stores.backfills.get(world.projectId, exportIds[index]!, id)),
      );
      const waiting = await world.engine.stores.runRequests.listExportsWithOpenRequests();
      return states.every(({ status }) => status !== 'Running') && waiting.length === 0 && (await isSettled(world));
    },
    11 * 60,
  );
  stopping.abort();
  worker?.kill();
  await keepAlive;

  const problems =
    open.length > 0 ? [`${open.length} of ${wanted} kills never came: ${open.map(({ what }) => what).join(', ')}`] : [];
  for (const [label, place] of labels) {
    problems.push(...(await checkRows(world, place, label, source)));
    problems.push(...(await place.unfinished(label)).map((name) => `left unfinished: ${name}`));
  }
  return problems;
}

export function workerOptions({ options }: ExportWorld) {
  const { databaseUrl, encryptionKeys, environment, partsAtOnce, limits } = options;
  const { address, namespace } = options.temporal;
  const temporal = { address, namespace };
  return { databaseUrl, temporal, encryptionKeys, environment, partsAtOnce, limits, logLevel: 'silent' };
}

async function terminateRun(world: ExportWorld, { runId }: Step): Promise<void> {
  const { workflowId, workflowRunId } = await world.engine.stores.runs.getById(runId);
  await world.engine.temporal.client.workflow.getHandle(workflowId, workflowRunId).terminate('by the kill test');
}

/** No run is open and no interval is left half way. */
async function isSettled({ engine, projectId }: ExportWorld): Promise<boolean> {
  const { results } = await engine.stores.batchExports.list(projectId, { limit: 100, offset: 0 });
  const open = await Promise.all(results.map(({ id }) => engine.stores.runs.listOpen(id)));
  // The ledger lists what is due: an interval that is tried again later is among the troubles alone.
  const { rows: troubles } = await engine.pool.query(`select from batch_export_troubles where kind = 'unsettled'`);
  const left = troubles.length + (await engine.stores.ledger.listIntervalsToSettle()).length;
  return left === 0 && open.every((runs) => runs.length === 0);
}
