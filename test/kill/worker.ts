/** A real worker in a process of its own that asks its parent at every step whether it may go on. Ended by the parent only. */
import pino from 'pino';
import type { Step } from '../../activities/engine.ts';
import { createActivities } from '../../activities/index.ts';
import { createEngine, type EngineOptions } from '../../src/app/engine.ts';
import { createKeyRing } from '../../src/platform/secrets/key-ring.ts';
import type { TemporalOptions } from '../../src/platform/temporal/connection.ts';
import { payloadCodec } from '../../src/platform/temporal/payload-codec.ts';
import { startExportWorker } from '../../src/exports/temporal/worker.ts';

export type WorkerOptions = Omit<EngineOptions, 'log' | 'step' | 'temporal'> & {
  /** Functions do not travel between processes: the codec is made here, of the same keys. */
  temporal: Omit<TemporalOptions, 'codec'>;
  logLevel: string;
};
/** To the parent: a step was reached, or the worker takes work from now on. */
export type FromWorker = { kind: 'step'; ticket: number; step: Step } | { kind: 'ready' };
/** From the parent: how to start, or that the step with this ticket may be done. */
export type ToWorker = { kind: 'start'; options: WorkerOptions } | { kind: 'go'; ticket: number };

const waiting = new Map<number, () => void>();
let lastTicket = 0;

function tell(message: FromWorker): void {
  process.send?.(message);
}

function ask(step: Step): Promise<void> {
  const ticket = ++lastTicket;
  return new Promise((resolve) => {
    waiting.set(ticket, resolve);
    tell({ kind: 'step', ticket, step });
  });
}

async function start({ logLevel, ...options }: WorkerOptions): Promise<void> {
  const log = pino({ level: logLevel }, pino.destination({ fd: 2, sync: true }));
  const temporal = { ...options.temporal, codec: payloadCodec(createKeyRing(options.encryptionKeys)) };
  const engine = createEngine({ ...options, temporal, log, step: ask });
  const worker = await startExportWorker({
    activities: createActivities(engine),
    log,
    temporal,
    partsAtOnce: options.partsAtOnce,
    // Tasks that wait at the server when a worker is frozen are handed to it all the same, and are lost for ten seconds.
    pollsAtOnce: 1,
  });
  tell({ kind: 'ready' });
  await worker.stopped;
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'start') void start(message.options);
  else {
    waiting.get(message.ticket)?.();
    waiting.delete(message.ticket);
  }
});
process.once('disconnect', () => process.exit(0));
