/** Opens a session at the destination of a planned run. */
import type { Destination, RunLog, Session } from '../../src/exports/destinations/contract.ts';
import type { Delivery } from '../../src/exports/destinations/delivery.ts';
import type { DestinationEnvironment } from '../../src/exports/destinations/environment.ts';
import { CONFIG_ATTR } from '../../src/exports/destinations/faults.ts';
import { destinationOf } from '../../src/exports/destinations/index.ts';
import { ROLES_OFF_CODE } from '../../src/exports/destinations/s3/faults.ts';
import { DestinationUnavailable, InvalidInput, NotFound } from '../../src/platform/errors.ts';
import type { BatchExport } from '../../src/exports/batch-exports/batch-export.ts';
import { mergeOf, type Slice } from '../../src/events/reading/selection.ts';
import type { EpochLease } from '../../src/exports/deliveries/ledger.store.ts';
import { ownershipOf } from '../../src/exports/deliveries/ownership.ts';
import type { StoredPlan } from '../../src/exports/domain/plan.ts';
import { decryptPinned, pinnedDestination } from '../../src/exports/integrations/pinned-destination.ts';
import type { LogLevel } from '../../src/exports/runs/logs.store.ts';
import type { Run } from '../../src/exports/runs/runs.store.ts';
import { emptyFile } from '../../src/exports/formats/file.ts';
import { HostRefused } from '../../src/platform/net/host-rules.ts';
import type { Engine } from '../engine.ts';
import { requestReporter } from './request-reporter.ts';

export type PlannedRun = {
  run: Run;
  plan: StoredPlan;
  lease: EpochLease;
  slice: Slice;
  delivery: Delivery;
  /** The run's attempt, for its log; absent where something else acts for the run, such as settling. */
  attempt?: number | undefined;
};

/** @throws Error when the run has no plan, so it cannot have written anything to a destination */
export function requirePlan(run: Run, attempt?: number): PlannedRun {
  const { plan, epoch, start, end } = run;
  if (!plan || epoch === null) throw new Error(`run ${run.id} has no plan`);
  return {
    run,
    plan,
    attempt,
    lease: { exportId: run.batchExportId, start, end, epoch },
    slice: { projectId: run.projectId, start, end, cutoff: plan.cutoff, content: plan.content },
    delivery: {
      projectId: run.projectId,
      exportId: run.batchExportId,
      runId: run.id,
      model: plan.content.model,
      start,
      end,
      cutoff: plan.cutoff,
      epoch,
      columns: plan.columns,
      merge: mergeOf(plan.content),
      file: plan.file,
      ...(plan.byEvent && { events: plan.byEvent.events }),
    },
  };
}

type SessionEngine = Pick<Engine, 'stores' | 'configs' | 'environment' | 'log' | 'step'>;

/**
 * Connects to the place of the run's plan, with its newest credentials and its hosts checked again. The caller closes the session.
 * @throws NotFound when the export was deleted; InvalidInput when the configuration is no longer valid; DestinationRejected,
 *   DestinationUnavailable
 */
export async function openSession(engine: SessionEngine, planned: PlannedRun, signal: AbortSignal): Promise<Session> {
  const batchExport = await engine.stores.batchExports.getIncludingDeleted(planned.run.batchExportId);
  if (batchExport.deleted) throw new NotFound('The batch export was deleted.');
  return connect(engine, planned, batchExport, signal);
}

/** Like `openSession`, but also for a deleted export, so its unfinished work can still be found and removed. */
export async function openSessionToSettle(
  engine: SessionEngine,
  planned: PlannedRun,
  signal: AbortSignal,
): Promise<Session> {
  return connect(
    engine,
    planned,
    await engine.stores.batchExports.getIncludingDeleted(planned.run.batchExportId),
    signal,
  );
}

async function connect(
  engine: SessionEngine,
  planned: PlannedRun,
  batchExport: BatchExport & { deleted: boolean },
  signal: AbortSignal,
): Promise<Session> {
  const { stores, environment } = engine;
  const { run, lease, delivery } = planned;
  const pinned = planned.plan.destination ?? pinnedDestination(batchExport);
  const destination = destinationOf(pinned.type, environment);
  const config = await decryptPinned(engine, batchExport, pinned);
  await recheck(destination, config, environment);
  const reporter = requestReporter(engine, run);
  const session = await destination.open(
    config,
    delivery,
    {
      signal,
      log: runLog(engine, run, planned.attempt),
      onRequest: reporter.onRequest,
      artifacts: {
        record: (artifact, instead) => stores.artifacts.record(lease, artifact, instead),
        list: () => stores.artifacts.list(lease),
        listOfLaterEpochs: () => stores.artifacts.list(lease, { laterEpochs: true }),
        discard: stores.artifacts.discard,
      },
      ownership: ownershipOf(stores, lease),
      recordSuperseded: (keys) => stores.supersededFiles.record(lease, run.id, keys),
      emptyFile: (file) => emptyFile({ ...file, columns: delivery.columns }),
      step: (name) => engine.step({ name, exportId: run.batchExportId, runId: run.id, end: run.end }),
    },
    environment,
  );
  return {
    ...session,
    async close() {
      try {
        await session.close();
      } finally {
        await reporter.close();
      }
    },
  };
}

/**
 * Repeats the checks made when the configuration was saved. A refused host counts as unavailable, not as
 * invalid: its name server may be away, or the operator may yet allow it. The error does not tell an unknown name from a private address.
 */
async function recheck(destination: Destination, config: unknown, environment: DestinationEnvironment): Promise<void> {
  try {
    await destination.validate(config, environment);
  } catch (error) {
    if (!(error instanceof InvalidInput)) throw error;
    const field = error.attr === null ? 'destination' : `${CONFIG_ATTR}${error.attr}`;
    const { message, code, cause } = error;
    // The operator switches roles on and off by process: a run waits until its workers have them.
    if (code === ROLES_OFF_CODE)
      throw new DestinationUnavailable(message, { cause: error, fault: { code, owner: 'sluice', field } });
    if (!(cause instanceof HostRefused)) throw new InvalidInput(message, field, code, { cause: error });
    throw new DestinationUnavailable(message, {
      cause: error,
      fault: { code: 'host_not_allowed', owner: 'you', field },
    });
  }
}

/** Writes log lines for the user. A line that cannot be stored goes to the worker's log, because it must not end the run. */
export function runLog({ stores, log }: Pick<Engine, 'stores' | 'log'>, run: Run, attempt?: number): RunLog {
  return (level, message) => {
    const entry = {
      batchExportId: run.batchExportId,
      runId: run.id,
      level: level.toUpperCase() as LogLevel,
      message,
      attempt,
    };
    stores.logs
      .append(entry)
      .catch((error: unknown) =>
        log.warn({ err: error, run_id: run.id, message }, 'a line of a run’s log could not be written'),
      );
  };
}
