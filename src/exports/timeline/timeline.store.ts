/** Identity of this database for destinations and the witness in Temporal, in one row. */
import type { Knex } from '../../platform/db/connection.ts';
import type { Testimony } from '../domain/witness.ts';

/** The witness's answer, if it did not agree. */
export type Block = Exclude<Testimony, 'agrees'>;

/** A swap that has begun; `previous` is null until the witness is created. */
export type BegunSwap = { previous: string | null; next: string };

export type TimelineState = {
  id: string;
  /** null: deliveries are not blocked. */
  blocked: Block | null;
  recoveredAt: string | null;
};

type Row = {
  id: string;
  epochs_above: string;
  versions_above: string;
  witness_previous: string | null;
  witness_next: string | null;
  agreed_at: string | null;
  blocked: Block | null;
  blocked_at: string | null;
  recovered_at: string | null;
};

export function timelineStore(db: Knex) {
  const table = () => db<Row>('timeline');
  const now = () => db.raw('clock_timestamp()');

  return {
    async getState(): Promise<TimelineState> {
      const row = (await table().first())!;
      return { id: row.id, blocked: row.blocked, recoveredAt: row.recovered_at };
    },

    /** The timeline's present id: `sluice recover` gives it a new one. */
    async getId(): Promise<string> {
      const row = await table().first('id');
      return row!.id;
    },

    /** Stores the witness's next nonce before the witness gets it; continues a swap that has not ended. */
    async beginSwap(nonce: string): Promise<BegunSwap> {
      const [row] = (await table()
        .update({ witness_next: db.raw('coalesce(witness_next, ?)', [nonce]) })
        .returning(['witness_previous', 'witness_next'])) as Pick<Row, 'witness_previous' | 'witness_next'>[];
      return { previous: row!.witness_previous, next: row!.witness_next! };
    },

    /** Ends a swap, because the witness holds the new nonce. Does nothing when another process ended the swap. */
    async endSwap({ next }: BegunSwap): Promise<void> {
      await table()
        .where({ witness_next: next })
        .update({ witness_previous: next, witness_next: null, agreed_at: now(), blocked: null, blocked_at: null });
    },

    /** @returns false when another process has ended the swap meanwhile, so the witness's answer is outdated */
    async block({ previous, next }: BegunSwap, blocked: Block): Promise<boolean> {
      const updated = await table()
        .where({ witness_next: next })
        .whereRaw('witness_previous is not distinct from ?', [previous])
        .update({ blocked, blocked_at: db.raw('coalesce(blocked_at, clock_timestamp())') });
      return updated > 0;
    },

    /**
     * Begins a new timeline, whose epochs and versions exceed all earlier ones: they start from the seconds and milliseconds since 1970,
     * and cannot have been raised so often. Deliveries stay blocked until the new witness exists.
     * @param next the new witness's nonce
     * @param number the highest epoch that was found at a destination
     */
    async renew(next: string, number: number): Promise<void> {
      await table().update({
        id: db.raw('gen_random_uuid()'),
        epochs_above: db.raw('greatest(epochs_above, ?, extract(epoch from clock_timestamp())::bigint)', [number]),
        versions_above: db.raw('greatest(versions_above + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)'),
        witness_previous: null,
        witness_next: next,
        blocked: db.raw(`coalesce(blocked, 'missing')`),
        blocked_at: db.raw('coalesce(blocked_at, clock_timestamp())'),
        recovered_at: now(),
      });
    },
  };
}
