/**
 * Detects that this database was restored, or is a copy. Each check gives the witness in Temporal a new nonce; a witness that holds
 * another one than the database expects got it from another database, or from a later state of this one. Deliveries are then blocked
 * until `sluice recover`. Commits also ask the destination (`Ownership`), which protects foreign deliveries if no check succeeds, or
 * if Temporal was restored, too.
 */
import { randomUUID } from 'node:crypto';
import { DeliveriesBlocked, Unavailable } from '../../platform/errors.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { TimelineWitness } from '../temporal/witness.ts';
import type { Testimony } from '../domain/witness.ts';
import type { ExportStores } from '../stores.ts';
import type { BegunSwap, Block } from './timeline.store.ts';

export type TimelineGuardOptions = {
  stores: Pick<ExportStores, 'timeline'>;
  witness: TimelineWitness;
  log: Logger;
};

export type TimelineGuard = ReturnType<typeof timelineGuard>;

/** Limit of swaps in one check, because another process may end a swap while this one asks. */
const MAX_SWAPS = 5;
/** Attempts at a process's first check, before its first delivery. If all fail, deliveries begin anyway, because commits ask the destination. */
const FIRST_ATTEMPTS = 3;

/** Explains a block in a sentence for people who look at a run, the readiness or the log. */
export function describeBlock(block: Block): string {
  const why =
    block === 'missing'
      ? 'Temporal has no witness of this database'
      : 'Temporal’s witness knows another state of this database';
  return `Deliveries are blocked: ${why}, as after a restore or in a copy. Nothing is lost; \`sluice recover\` lets them go on.`;
}

export function timelineGuard({ stores, witness, log }: TimelineGuardOptions) {
  let firstCheck: Promise<unknown> | undefined;

  async function askWitness({ previous, next }: BegunSwap): Promise<Testimony> {
    if (previous !== null) return witness.swap({ expected: previous, next });
    // The witness was not created yet. If one exists, another process made it with the same nonce, or another database did.
    return (await witness.start(next)) ? 'agrees' : witness.swap({ expected: next, next });
  }

  /** Exchanges the nonce. @returns why deliveries are blocked; undefined if they are not. @throws Unavailable */
  async function check(): Promise<string | undefined> {
    for (let tries = 0; tries < MAX_SWAPS; tries++) {
      const begun = await stores.timeline.beginSwap(randomUUID());
      const testimony = await askWitness(begun);
      if (testimony === 'agrees') {
        await stores.timeline.endSwap(begun);
        return undefined;
      }
      if (await stores.timeline.block(begun, testimony)) {
        const reason = describeBlock(testimony);
        log.error({ witness: testimony }, reason);
        return reason;
      }
    }
    throw new Unavailable('Other processes exchange the nonce of the witness all the time.');
  }

  async function checkFirst(): Promise<void> {
    for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt++) {
      try {
        await check();
        return;
      } catch (error) {
        log.warn({ err: error, attempt }, 'the timeline could not be compared with its witness');
      }
    }
  }

  /** Returns why deliveries are blocked; undefined if they are not. The first call of a process asks the witness. */
  async function blockReason(): Promise<string | undefined> {
    firstCheck ??= checkFirst();
    await firstCheck;
    return storedBlockReason();
  }

  /** Returns the reason that the database has, without asking the witness, for processes that do not deliver. */
  async function storedBlockReason(): Promise<string | undefined> {
    const { blocked: block } = await stores.timeline.getState();
    return block === null ? undefined : describeBlock(block);
  }

  return {
    check,
    blockReason,
    reason: storedBlockReason,

    /** @throws DeliveriesBlocked */
    async assertDeliverable(): Promise<void> {
      const reason = await blockReason();
      if (reason !== undefined) throw new DeliveriesBlocked(reason);
    },
  };
}
