/** A worker process: one Temporal worker for workflows and short activities, and one for the activities that write parts. */
import { setTimeout as sleep } from 'node:timers/promises';
import { DefaultLogger, NativeConnection, Runtime, Worker, type WorkerOptions } from '@temporalio/worker';
import { TASK_QUEUES } from '../domain/task-queues.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { TemporalOptions } from '../../platform/temporal/connection.ts';
import { dataConverter } from '../../platform/temporal/payload-codec.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import { TRACED_MODULES, workflowBundle } from '../../platform/temporal/workflow-bundle.ts';

export type ExportWorkerOptions = {
  activities: object;
  log: Logger;
  temporal: TemporalOptions;
  /** Limit of parts that are written at once. */
  partsAtOnce: number;
  /** Number of polls that wait at the server for each kind of work; the SDK's default when absent. */
  pollsAtOnce?: number;
  traces?: Traces | undefined;
};

export type ExportWorker = {
  /** Resolves when the worker has shut down; rejects when it cannot continue. */
  stopped: Promise<void>;
  /** Takes no more work, gives work in progress a short time, and leaves the rest to another worker. */
  shutdown(): void;
};

/** High, because short activities mostly wait for other systems. */
const SHORT_ACTIVITIES_AT_ONCE = 40;
/** Time after which an unfinished attempt is cancelled, to be repeated on another worker. */
const SHUTDOWN_GRACE = '3 seconds';
/** How long a workflow waits for a worker that was killed before another one takes it. */
const STICKY_TIMEOUT = '3 seconds';

/** Time limit for connecting to Temporal. */
const CONNECT_MS = 10_000;

let isInstalled = false;

/**
 * Installs the SDK's runtime, once per process, before any connection. Its log lines go to our log.
 * @param metricsAddress host:port of its metrics for Prometheus
 */
export function installRuntime(log: Logger, metricsAddress?: string): DefaultLogger {
  const logger = new DefaultLogger('WARN', ({ level, message, meta }) => {
    const line = { ...(meta?.['error'] instanceof Error && { err: meta['error'] }), workflow_id: meta?.['workflowId'] };
    log[level === 'ERROR' ? 'error' : 'warn'](line, message);
  });
  if (!isInstalled) {
    const logging = { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } as const;
    const metrics = metricsAddress === undefined ? {} : { metrics: { prometheus: { bindAddress: metricsAddress } } };
    Runtime.install({ logger, shutdownSignals: [], telemetryOptions: { logging, ...metrics } });
    isInstalled = true;
  }
  return logger;
}

/** Ends the runtime of a process that stops before it had a worker. A worker's end also ends the runtime, so others need not call this. */
export async function endRuntime(): Promise<void> {
  if (isInstalled) await Runtime.instance().shutdown();
}

/** @throws Unavailable, TransportError when Temporal does not answer; other errors of its SDK */
export async function startExportWorker({
  activities,
  log,
  temporal,
  partsAtOnce,
  pollsAtOnce,
  traces,
}: ExportWorkerOptions): Promise<ExportWorker> {
  const logger = installRuntime(log);
  const bundle = await workflowBundle(logger, traces && TRACED_MODULES);
  const tracing = traces && (await import('./tracing.ts')).tracingOptions(traces);
  const connection = await connect(temporal.address);
  const shared: Omit<WorkerOptions, 'taskQueue'> = {
    connection,
    namespace: temporal.namespace,
    dataConverter: dataConverter(temporal.codec),
    activities,
    shutdownGraceTime: SHUTDOWN_GRACE,
    ...tracing,
    ...(pollsAtOnce !== undefined && {
      maxConcurrentWorkflowTaskPolls: Math.max(2, pollsAtOnce),
      maxConcurrentActivityTaskPolls: pollsAtOnce,
    }),
  };
  const workers = await Promise.all([
    Worker.create({
      ...shared,
      taskQueue: TASK_QUEUES.control,
      workflowBundle: bundle,
      maxConcurrentActivityTaskExecutions: SHORT_ACTIVITIES_AT_ONCE,
      stickyQueueScheduleToStartTimeout: STICKY_TIMEOUT,
    }),
    Worker.create({ ...shared, taskQueue: TASK_QUEUES.parts, maxConcurrentActivityTaskExecutions: partsAtOnce }),
  ]).catch(async (error: unknown) => {
    await connection.close().catch(() => {});
    throw error;
  });
  const runs = workers.map(async (worker) => worker.run());
  const shutdown = () => {
    for (const worker of workers) if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  const allStopped = async () => {
    // When one worker fails, the other one must end too, because both hold the connection.
    const ends = await Promise.allSettled(runs.map(async (run) => run.finally(shutdown)));
    await connection.close();
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
  };
  return {
    stopped: allStopped(),
    shutdown,
  };
}

/** @throws Unavailable when Temporal does not answer in time; TransportError when it cannot be reached */
async function connect(address: string): Promise<NativeConnection> {
  const connecting = NativeConnection.connect({ address });
  const connected = new AbortController();
  const timeout = sleep(CONNECT_MS, undefined, { signal: connected.signal }).then(
    () => {
      // A connection that is made too late is closed.
      connecting.then(async (connection) => connection.close()).catch(() => {});
      throw new Unavailable('The workflow service is not reachable right now.', 5);
    },
    () => connecting,
  );
  try {
    return await Promise.race([connecting, timeout]);
  } finally {
    connected.abort();
  }
}
