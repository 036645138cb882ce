/**
 * Finds out that this database was restored, or is a copy: the witness in Temporal then holds another nonce than the one that the database
 * gave it last. Nothing is delivered from then on, until `sluice recover`. A commit asks the destination besides (`Ownership`), so that
 * also a delivery that comes before the witness is asked, or beside a Temporal that was restored too, replaces nothing.
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

/** Another process may end a swap while this one asks. */
const TRIES = 5;
/** A process that cannot ask the witness delivers nothing for so many attempts; then the commit alone protects. */
const FIRST_ATTEMPTS = 3;

/** A sentence for people who look at a run, the readiness or the log. */
export function describeBlock(block: Block): string {
  const why =
    block === 'missing'
      ? 'Temporal has no witness of this database'
      : 'Temporal’s witness knows another state of this database';
  return `Deliveries are blocked: ${why}, as after a restore or in a copy. Nothing is lost; \`sluice recover\` lets them go on.`;
}

export function timelineGuard({ stores, witness, log }: TimelineGuardOptions) {
  let firstCheck: Promise<unknown> | undefined;

  async function ask({ previous, next }: BegunSwap): Promise<Testimony> {
    if (previous !== null) return witness.swap({ expected: previous, next });
    // Not yet created. One that is there was made by another process, with the same nonce, or by another database.
    return (await witness.start(next)) ? 'agrees' : witness.swap({ expected: next, next });
  }

  /** Exchanges the nonce. @returns why nothing is delivered; undefined: deliveries go on. @throws Unavailable */
  async function check(): Promise<string | undefined> {
    for (let tries = 0; tries < TRIES; tries++) {
      const begun = await stores.timeline.beginSwap(randomUUID());
      const testimony = await ask(begun);
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

  async function askFirst(): Promise<void> {
    for (let attempt = 1; attempt <= FIRST_ATTEMPTS; attempt++) {
      try {
        await check();
        return;
      } catch (error) {
        log.warn({ err: error, attempt }, 'the witness of the timeline does not answer');
      }
    }
  }

  /** Why nothing is delivered; undefined: deliveries go on. The first call of a process asks the witness. */
  async function blocked(): Promise<string | undefined> {
    firstCheck ??= askFirst();
    await firstCheck;
    return reason();
  }

  /** The reason of `blocked`, as the database has it, without asking the witness. For processes that deliver nothing. */
  async function reason(): Promise<string | undefined> {
    const { blocked: block } = await stores.timeline.state();
    return block === null ? undefined : describeBlock(block);
  }

  return {
    check,
    blocked,
    reason,

    /** @throws DeliveriesBlocked */
    async assertDeliverable(): Promise<void> {
      const reason = await blocked();
      if (reason !== undefined) throw new DeliveriesBlocked(reason);
    },
  };
}
