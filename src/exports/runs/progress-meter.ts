/** Records the progress of moving parts once a second for each run, in the background, so parts never wait. */
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ExportStores } from '../stores.ts';

/** Returns the current progress of a part. */
export type ReadProgress = () => { rows: number; bytes: number };

export type ProgressMeter = {
  /** @returns a function that ends the recording */
  follow(runId: string, part: number, readProgress: ReadProgress): () => void;
};

const INTERVAL_MS = 1_000;

export function progressMeter(stores: Pick<ExportStores, 'progress'>, log: Logger): ProgressMeter {
  const runs = new Map<string, { parts: Map<number, ReadProgress>; timer: NodeJS.Timeout }>();

  function begin(runId: string) {
    const parts = new Map<number, ReadProgress>();
    let isWriting = false;
    const write = async () => {
      // The next write waits until this one has ended, in case the database is slow.
      if (isWriting) return;
      isWriting = true;
      const all = [...parts].map(([part, readProgress]) => ({ part, ...readProgress() }));
      await stores.progress
        .record(runId, all)
        .catch((error: unknown) =>
          log.warn({ err: error, run_id: runId }, 'the progress of a run could not be stored'),
        );
      isWriting = false;
    };
    const followed = { parts, timer: setInterval(() => void write(), INTERVAL_MS) };
    runs.set(runId, followed);
    return followed;
  }

  return {
    follow(runId, part, readProgress) {
      const { parts, timer } = runs.get(runId) ?? begin(runId);
      parts.set(part, readProgress);
      return () => {
        if (parts.get(part) === readProgress) parts.delete(part);
        if (parts.size > 0) return;
        clearInterval(timer);
        if (runs.get(runId)?.parts === parts) runs.delete(runId);
      };
    },
  };
}
