/** Figures for Prometheus. Labels are words and numbers of ours: no names, secrets or addresses of users. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { databaseGauges, poolGauges, type DatabaseFigures, type PoolUse } from './database-gauges.ts';
import { gaugeSet, type GaugeSet } from './gauge-set.ts';

/** A run that has ended. */
export type EndedRun = {
  status: string;
  destination: string;
  interval: string;
  rows: number;
  bytes: number;
  seconds: number;
};

/** State of all exports of the installation at one moment. */
export type ExportFigures = {
  exports: readonly {
    id: string;
    projectId: number;
    lagSeconds: number;
    troubles: Readonly<Record<string, number>>;
  }[];
  /** The reconciler's last round; undefined: none yet. */
  round: { ageSeconds: number; seconds: number; failures: number } | undefined;
  oldestTransactionSeconds: number;
  openRuns: Readonly<Record<string, number>>;
  openRequests: Readonly<Record<string, number>>;
  waitingNotifications: Readonly<Record<string, number>>;
  deliveriesBlocked: boolean;
  foreignDeliveries: number;
};

export type Metrics = ReturnType<typeof createMetrics>;

const RUN_SECONDS = [0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3_600, 14_400];
const DECIDE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 3];
const SEAL_SECONDS = [0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30];

/** Prometheus gives up a scrape after ten seconds, and then has no figure at all. */
const LOAD_MS = 5_000;
const DATABASE_UP = '1: Postgres answered this scrape. 0: it did not, and the figures that are read from it are absent';

/** Creates the metrics of one process. */
export function createMetrics() {
  const register = new Registry();
  const registers = [register];
  const exportLabels = ['destination', 'interval'] as const;
  const runs = new Counter({
    name: 'sluice_runs_total',
    help: 'Runs that ended in this process',
    labelNames: ['status', ...exportLabels],
    registers,
  });
  const rows = new Counter({
    name: 'sluice_run_rows_total',
    help: 'Rows delivered',
    labelNames: exportLabels,
    registers,
  });
  const bytes = new Counter({
    name: 'sluice_run_bytes_total',
    help: 'Bytes delivered',
    labelNames: exportLabels,
    registers,
  });
  const seconds = new Histogram({
    name: 'sluice_run_duration_seconds',
    help: 'From the beginning of a run to its end',
    labelNames: ['status', ...exportLabels],
    buckets: RUN_SECONDS,
    registers,
  });
  const seals = new Histogram({
    name: 'sluice_seal_duration_seconds',
    help: 'How long a run waited for its data interval to be sealed',
    buckets: SEAL_SECONDS,
    registers,
  });
  const waitingSeals = new Gauge({
    name: 'sluice_seals_waiting',
    help: 'Runs of this process that wait for their data interval to be sealed',
    registers,
  });
  const events = new Counter({
    name: 'sluice_capture_events_total',
    help: 'Events that were accepted or rejected',
    labelNames: ['outcome'],
    registers,
  });
  const requests = new Counter({
    name: 'sluice_capture_requests_total',
    help: 'Requests to capture, by the status of the answer',
    labelNames: ['status'],
    registers,
  });

  /** Counts of decisions since the last scrape, by status. Kept here, because finding a label's counter takes as long as deciding a flag. */
  const decisionsSinceScrape = new Map<number, number>();
  const decideRequests = new Counter({
    name: 'sluice_decide_requests_total',
    help: 'Requests for decisions on flags, by the status of the answer',
    labelNames: ['status'],
    registers,
    collect() {
      for (const [status, count] of decisionsSinceScrape) decideRequests.inc({ status }, count);
      decisionsSinceScrape.clear();
    },
  });
  const decideSeconds = new Histogram({
    name: 'sluice_decide_duration_seconds',
    help: 'From the head of a request for decisions to its answer',
    buckets: DECIDE_SECONDS,
    registers,
  });
  const decideFailures = new Counter({
    name: 'sluice_decide_failures_total',
    help: 'Answers in which a flag could not be decided',
    registers,
  });

  /** Each says whether the database had answered. */
  const refreshers: (() => Promise<boolean>)[] = [];
  let databaseUp: Gauge | undefined;

  function registerLoaded<Figures>(gauges: GaugeSet<Figures>, loadFigures: () => Promise<Figures>): void {
    databaseUp ??= new Gauge({ name: 'sluice_database_up', help: DATABASE_UP, registers });
    refreshers.push(async () => {
      const late = sleep(LOAD_MS, undefined, { ref: false });
      const figures = await Promise.race([loadFigures(), late]).catch(() => undefined);
      if (figures) gauges.set(figures);
      else gauges.clear();
      return figures !== undefined;
    });
  }

  return {
    runEnded(run: EndedRun): void {
      const labels = { destination: run.destination, interval: run.interval };
      runs.inc({ ...labels, status: run.status });
      seconds.observe({ ...labels, status: run.status }, run.seconds);
      rows.inc(labels, run.rows);
      bytes.inc(labels, run.bytes);
    },

    /** Counts a run as waiting for a seal. @returns a function that ends the wait */
    beginSeal(): () => void {
      const startedAt = performance.now();
      waitingSeals.inc();
      return () => {
        waitingSeals.dec();
        seals.observe((performance.now() - startedAt) / 1000);
      };
    },

    capture: {
      events(accepted: number, rejected: number): void {
        events.inc({ outcome: 'accepted' }, accepted);
        events.inc({ outcome: 'rejected' }, rejected);
      },
      countAnswer: (status: number): void => requests.inc({ status }),
    },

    decide: {
      countAnswer(status: number, seconds: number): void {
        decisionsSinceScrape.set(status, (decisionsSinceScrape.get(status) ?? 0) + 1);
        decideSeconds.observe(seconds);
      },
      countFailure: (): void => decideFailures.inc(),
    },

    /** Adds metrics of the process itself: memory, event loop, garbage collection. */
    registerProcess: (): void => collectDefaultMetrics({ register }),

    /** Adds a gauge for whether this process takes work from Temporal. @returns a function that sets it */
    registerWorker(): (isReady: boolean) => void {
      const help = 'Whether this process takes work from Temporal: 0 while it waits for Temporal, and while it stops';
      const ready = new Gauge({ name: 'sluice_worker_ready', help, registers });
      return (isReady) => ready.set(isReady ? 1 : 0);
    },

    /** Adds gauges of all exports, loaded at each request. */
    registerExports(loadFigures: () => Promise<ExportFigures>): void {
      registerLoaded(exportGauges(registers), loadFigures);
    },

    /** Adds gauges of the database, loaded at each request. */
    registerDatabase(loadFigures: () => Promise<DatabaseFigures>): void {
      registerLoaded(databaseGauges(registers), loadFigures);
    },

    /** Adds gauges of this process's pools of connections. */
    registerPools(poolUses: () => readonly PoolUse[]): void {
      const setGauges = poolGauges(registers);
      refreshers.push(async () => {
        setGauges(poolUses());
        return true;
      });
    },

    /** Prometheus' text format. */
    async text(): Promise<string> {
      const answered = await Promise.all(refreshers.map((refresh) => refresh()));
      databaseUp?.set(answered.every(Boolean) ? 1 : 0);
      return register.metrics();
    },
    contentType: register.contentType,
  };
}

/** Sets all gauges together, so an export that is gone disappears from all of them. */
function exportGauges(registers: Registry[]): GaugeSet<ExportFigures> {
  const { gauge, makeSet } = gaugeSet(registers);
  const runs = gauge('sluice_open_runs', 'Runs under way', ['status']);
  const requests = gauge('sluice_open_requests', 'Data intervals that wait for a run', ['kind']);
  const waiting = gauge('sluice_notifications_waiting', 'Notifications not delivered yet', ['channel']);
  const lag = gauge(
    'sluice_export_lag_seconds',
    'How long the oldest data interval that is not delivered has been due, or the oldest stale one stale',
    ['project_id', 'batch_export_id'],
  );
  const troubles = gauge(
    'sluice_export_interval_troubles',
    'Data intervals that are stale, unsettled, or no longer tried; absent where there are none',
    ['project_id', 'batch_export_id', 'kind'],
  );
  const roundAge = gauge('sluice_reconciler_round_age_seconds', 'Since the last round of the reconciler ended', []);
  const roundSeconds = gauge('sluice_reconciler_round_duration_seconds', 'How long that round took', []);
  const roundFailures = gauge('sluice_reconciler_round_failures', 'Steps of that round that failed', []);
  const transaction = gauge(
    'sluice_source_oldest_transaction_seconds',
    'Since the oldest open transaction of the source began; it holds up seals',
    [],
  );
  const blocked = gauge('sluice_deliveries_blocked', '1: nothing is delivered until `sluice recover`', []);
  const foreign = gauge('sluice_foreign_deliveries', 'Deliveries of another timeline that wait for a decision', []);
  return makeSet((figures: ExportFigures) => {
    const { exports, openRuns, openRequests, waitingNotifications, round, oldestTransactionSeconds } = figures;
    blocked.set(figures.deliveriesBlocked ? 1 : 0);
    foreign.set(figures.foreignDeliveries);
    for (const metric of [lag, troubles, runs, requests, waiting]) metric.reset();
    for (const { id, projectId, lagSeconds, troubles: counts } of exports) {
      const labels = { project_id: projectId, batch_export_id: id };
      lag.set(labels, lagSeconds);
      for (const [kind, count] of Object.entries(counts)) if (count > 0) troubles.set({ ...labels, kind }, count);
    }
    transaction.set(oldestTransactionSeconds);
    roundAge.set(round?.ageSeconds ?? NaN);
    roundSeconds.set(round?.seconds ?? NaN);
    roundFailures.set(round?.failures ?? NaN);
    for (const [status, count] of Object.entries(openRuns)) runs.set({ status }, count);
    for (const [kind, count] of Object.entries(openRequests)) requests.set({ kind }, count);
    for (const [channel, count] of Object.entries(waitingNotifications)) waiting.set({ channel }, count);
  });
}

type ListenerOptions = {
  /** Returns further metrics in the same format, to append. */
  readOtherMetrics?: (() => Promise<string>) | undefined;
  /** Absent: `/_livez` and `/_readyz` are not answered here. */
  isReady?: (() => boolean) | undefined;
};

/** Answers `/metrics` and, for processes without an API, `/_livez` and `/_readyz`. Never rejects. */
export function metricsListener(
  metrics: Metrics,
  { readOtherMetrics = async () => '', isReady }: ListenerOptions = {},
) {
  return async ({ url, method }: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (method === 'GET' && isReady && (url === '/_livez' || url === '/_readyz')) {
      response.writeHead(url === '/_livez' || isReady() ? 200 : 503).end();
      return;
    }
    if (url !== '/metrics' || method !== 'GET') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = (await Promise.all([metrics.text(), readOtherMetrics()])).join('');
      response.writeHead(200, { 'content-type': metrics.contentType }).end(text);
    } catch {
      // Prometheus shows this as a failed scrape; the failure itself is logged elsewhere.
      response.writeHead(503).end();
    }
  };
}
