/** Artifacts that runs left at destinations before their commit, by the interval's epoch. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';
import type { Artifact, RecordedArtifact } from '../destinations/artifacts.ts';
import { intervalKey, throwSuperseded, type EpochLease } from './epoch-lease.store.ts';

export function artifactStore(db: Knex) {
  return {
    /**
     * Records an artifact at a destination; call it before the artifact can become visible.
     * @param instead id of a record that the new one replaces atomically
     * @throws Superseded when the epoch is no longer the interval's, or has been delivered, or `instead` was discarded
     */
    async record(lease: EpochLease, artifact: Artifact, instead?: string): Promise<string> {
      const id = randomUUID();
      // tooth: ledger-artifact-delivered
      // tooth: ledger-artifact-instead
      const { rowCount } = await db.raw<{ rowCount: number }>(
        `with held as (
           select 1 from batch_export_intervals
           where batch_export_id = :export and data_interval_start = :start and data_interval_end = :end and epoch = :epoch
             and state <> 'delivered'
           for share
         ), replaced as (
           delete from batch_export_artifacts where id = :instead::uuid and exists (select from held) returning 1
         )
         insert into batch_export_artifacts (id, batch_export_id, data_interval_start, data_interval_end, epoch, artifact)
         select :id, :export, :start, :end, :epoch, :artifact from held
         where :instead::uuid is null or exists (select from replaced)`,
        {
          id,
          instead: instead ?? null,
          export: lease.exportId,
          start: lease.start,
          end: lease.end,
          epoch: lease.epoch,
          artifact: JSON.stringify(artifact),
        },
      );
      // tooth: ledger-artifact-epoch
      if (rowCount === 0) await throwSuperseded(db, lease);
      return id;
    },

    /** Lists the interval's artifacts that were recorded under this epoch or earlier ones; with `laterEpochs`, only those of later epochs. */
    async list(lease: EpochLease, { laterEpochs = false } = {}): Promise<RecordedArtifact[]> {
      const rows = (await db('batch_export_artifacts')
        .where(intervalKey(lease))
        .where('epoch', laterEpochs ? '>' : '<=', lease.epoch)
        .orderBy('created_at')) as {
        id: string;
        epoch: string;
        artifact: Artifact;
      }[];
      return rows.map((row) => ({ id: row.id, epoch: Number(row.epoch), artifact: row.artifact }));
    },

    async discard(ids: readonly string[]): Promise<void> {
      // One array parameter, because Postgres takes at most 65,535 parameters.
      await db('batch_export_artifacts')
        .whereRaw('id = any (?)', [[...ids]])
        .delete();
    },

    /** Ends the attempts to remove these artifacts. Their records stay, because a commit at the same place may still come. */
    async giveUp(ids: readonly string[]): Promise<void> {
      await db('batch_export_artifacts')
        .whereRaw('id = any (?)', [[...ids]])
        .update({ given_up_at: db.raw('clock_timestamp()') });
    },

    /** Gives up all artifacts recorded for the interval under this epoch and earlier ones. */
    async giveUpInterval(lease: EpochLease): Promise<void> {
      await db('batch_export_artifacts')
        .where(intervalKey(lease))
        .where('epoch', '<=', lease.epoch)
        .whereNull('given_up_at')
        .update({ given_up_at: db.raw('clock_timestamp()') });
    },
  };
}
