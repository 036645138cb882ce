/**
 * Faults of servers: kills, freezes, cuts of the network, a full disk, a clock that steps, terminated workflows, webhooks that are refused. One at a
 * time, each over before the next begins.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Random } from '../support/random.ts';
import type { Installation } from './installation.ts';
import type { ServerProcess } from './server-process.ts';

export type Faults = {
  /** How often each fault happened; one that met nothing does not count. */
  counts: Record<string, number>;
  /** Does something while no fault is under way. */
  between(work: () => Promise<void>): Promise<void>;
  /** Rejects when a server does not come back. */
  failed: Promise<never>;
  stop(): Promise<void>;
};

const struck = (strike: () => Promise<void>) => () => strike().then(() => true);

/** A worker counts as lost after ten seconds without a beat: some freezes are longer, most are not. */
const LONGEST_FREEZE_MS = 16_000;

export function startFaults(installation: Installation, temporal: Client, random: Random): Faults {
  const counts: Record<string, number> = {};
  const stopping = new AbortController();
  let turn: Promise<void> = Promise.resolve();

  async function killed(server: ServerProcess): Promise<void> {
    await server.kill();
    await sleep(random.below(3_000));
    await server.start();
  }

  async function frozen(server: ServerProcess): Promise<void> {
    await server.freeze();
    await sleep(500 + random.below(random.next() < 0.25 ? LONGEST_FREEZE_MS : 4_000));
    await server.thaw();
  }

  async function full(): Promise<void> {
    await installation.disk.fill();
    await sleep(1_000 + random.below(6_000));
    await installation.disk.empty();
  }

  /** Less than the 60 s at which a seal refuses the difference between the clocks. */
  async function clockSteps(): Promise<void> {
    await installation.clock!.set(random.below(60) - 30);
    await sleep(1_000 + random.below(6_000));
    await installation.clock!.set(0);
  }

  async function terminated(): Promise<boolean> {
    const open = temporal.workflow.list({ query: `WorkflowType = 'exportRun' and ExecutionStatus = 'Running'` });
    for await (const { workflowId, runId } of open) {
      await temporal.workflow.getHandle(workflowId, runId).terminate('chaos');
      return true;
    }
    return false;
  }

  /** The next requests: what is refused counts where it happens. */
  async function refuseWebhooks(): Promise<boolean> {
    installation.webhooks.answers.push(503, 'silence', 500);
    return false;
  }

  /** Workers are where deliveries are made: they are struck most often. */
  function pick(): { name: string; strike: () => Promise<boolean> } {
    const dice = random.next();
    const server = random.next() < 0.5 ? random.pick(installation.workers) : random.pick(installation.servers);
    if (dice < 0.45) return { name: `${server.ending} ${server.name}`, strike: struck(() => killed(server)) };
    if (dice < 0.85) return { name: `freeze ${server.name}`, strike: struck(() => frozen(server)) };
    if (dice < 0.9 && installation.disk.canBeFull) return { name: 'full disk', strike: struck(full) };
    if (dice < 0.95 && installation.clock) return { name: 'step the clock of source', strike: struck(clockSteps) };
    if (dice < 0.98) return { name: 'refuse webhooks', strike: refuseWebhooks };
    return { name: 'terminate a workflow', strike: terminated };
  }

  async function work(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sleep(random.below(4_000));
      const { name, strike } = pick();
      try {
        if (await inTurn(strike)) counts[name] = (counts[name] ?? 0) + 1;
      } catch (error) {
        if (name !== 'terminate a workflow') throw new Error(`${name} did not end`, { cause: error });
      }
    }
  }

  /** One at a time. */
  function inTurn<T>(next: () => Promise<T>): Promise<T> {
    const done = turn.then(next);
    turn = done.then(
      () => {},
      () => {},
    );
    return done;
  }

  const working = work();
  return {
    counts,
    between: inTurn,
    failed: working.then(() => new Promise<never>(() => {})),
    async stop() {
      stopping.abort();
      await working;
    },
  };
}
