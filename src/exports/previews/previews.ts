/** Previews of exports, saved or not: rows are read and encoded by the same SQL and encoder as in a run. */
import { randomUUID } from 'node:crypto';
import type { Column } from '../../conditions/rows/columns.ts';
import type { DestinationEnvironment } from '../destinations/environment.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { EventReader } from '../../events/reading/read.ts';
import type { Sealer } from '../../events/table/seal.ts';
import { encodeFile } from '../formats/file.ts';
import type { BatchExport } from '../batch-exports/batch-export.ts';
import type { ExportPatch, NewExport } from '../batch-exports/batch-exports.ts';
import { contentColumns, contentOf, decryptHashKey } from '../batch-exports/content.ts';
import { destinationChoice, type ChosenDestination } from '../integrations/destination-choice.ts';
import { cadenceWith } from '../domain/cadence.ts';
import { NO_SETTINGS, type Content } from '../../conditions/rows/content.ts';
import { isoMicros, millisOf } from '../domain/instants.ts';
import { endOfIntervalAt, intervalEndingAt, type Tiling } from '../domain/intervals.ts';
import { planContent } from '../runs/planning.ts';
import type { ConfigEncryption } from '../integrations/config-encryption.ts';
import type { ExportStores } from '../stores.ts';

const SAMPLE_ROWS = 20;
/** Limit of each query, because a user waits for the preview. */
const QUERY_SECONDS = 10;

/** ISO instants, half-open. */
export type PreviewInterval = { start: string; end: string };

export type Preview = PreviewInterval & {
  /** Number of rows in the interval. */
  rows: number;
  columns: readonly Column[];
  /** The first rows, as JSON. */
  sample: Record<string, unknown>[];
  /** Names of the objects, or of the table. */
  names: string[];
};

export type PreviewsOptions = {
  stores: ExportStores;
  events: EventReader;
  sealer: Sealer;
  configs: ConfigEncryption;
  environment: DestinationEnvironment;
};

type Row = Pick<BatchExport, 'id' | 'projectId' | 'model' | 'content' | 'hashKey'>;

export function exportPreviews({ stores, events, sealer, configs, environment }: PreviewsOptions) {
  const destinations = destinationChoice({ stores, configs, environment });

  /** The newest interval that has ended and holds rows; if none does, the newest that has ended. */
  async function findNewestInterval(
    projectId: number,
    content: Content,
    tiling: Tiling,
    now: string,
  ): Promise<PreviewInterval> {
    const latest = intervalAt(tiling, millisOf(now)).start;
    const at = await events.newestIntervalTime(projectId, content, isoMicros(latest), { seconds: QUERY_SECONDS });
    const { start, end } = intervalAt(tiling, at === null ? latest - 1 : millisOf(at));
    return { start: isoMicros(start), end: isoMicros(end) };
  }

  async function buildPreview(
    row: Row,
    { destination, config }: ChosenDestination,
    tiling: Tiling,
    chosenInterval?: PreviewInterval,
  ): Promise<Preview> {
    const { projectId } = row;
    const content = contentOf({ model: row.model, content: row.content, destinationConfig: config });
    const cutoff = await sealer.seal();
    if (chosenInterval) checkInterval(chosenInterval, cutoff);
    const interval = chosenInterval ?? (await findNewestInterval(projectId, content, tiling, cutoff));
    const slice = { projectId, ...interval, cutoff, content };
    const plan = await planContent(
      events,
      { destination, config, slice, hashKey: row.hashKey },
      { seconds: QUERY_SECONDS },
    );
    const hashKey = decryptHashKey(configs, row);
    const copy = events.copy(slice, plan.columns, { hashKey, limit: SAMPLE_ROWS, seconds: QUERY_SECONDS });
    return {
      ...interval,
      rows: plan.rows,
      columns: plan.columns.filter(({ hidden }) => !hidden),
      sample: await jsonRows(copy, plan.columns),
      names: destination.names(config, {
        projectId,
        model: content.model,
        runId: '<run id>',
        ...interval,
        file: plan.file,
        ...(plan.byEvent && { events: plan.byEvent.events }),
        parts: plan.parts.map(({ rows }, index) => ({ index, rows })),
      }),
    };
  }

  return {
    /** @throws InvalidInput naming the field, as when the export is created */
    async previewNew(projectId: number, newExport: NewExport, interval?: PreviewInterval): Promise<Preview> {
      const cadence = cadenceWith(newExport);
      const choice = await destinations.choose(projectId, newExport.destination);
      const row = { id: randomUUID(), projectId, model: newExport.model, content: NO_SETTINGS, hashKey: null };
      const draft = { ...row, ...contentColumns(configs, row, newExport, choice) };
      return buildPreview(draft, choice, [{ ...cadence, validFrom: -Infinity }], interval);
    },

    /** @param patch a change that only the preview has @throws InvalidInput naming the field, as when the export is changed; NotFound */
    async previewChange(
      projectId: number,
      id: string,
      patch: ExportPatch,
      interval?: PreviewInterval,
    ): Promise<Preview> {
      const current = await stores.batchExports.get(projectId, id);
      const destination = patch.destination ?? { type: current.destinationType, config: {} };
      const choice = await destinations.choose(projectId, destination, current);
      const draft = { ...current, ...contentColumns(configs, current, patch, choice) };
      return buildPreview(draft, choice, await stores.batchExports.getTiling(id), interval);
    },
  };
}

export type ExportPreviews = ReturnType<typeof exportPreviews>;

function intervalAt(tiling: Tiling, at: number): { start: number; end: number } {
  const interval = intervalEndingAt(tiling, endOfIntervalAt(tiling, at));
  if (!interval) throw new Error('a tiling has an interval at every instant');
  return interval;
}

function checkInterval({ start, end }: PreviewInterval, sealedUntil: string): void {
  if (start >= end)
    throw new InvalidInput("'data_interval_start' must be before 'data_interval_end'", 'data_interval_start');
  if (end > sealedUntil)
    throw new InvalidInput(`The provided 'data_interval_end' (${end}) is in the future`, 'data_interval_end');
}

async function jsonRows(
  rows: AsyncIterable<Uint8Array>,
  columns: readonly Column[],
): Promise<Record<string, unknown>[]> {
  const { bytes } = encodeFile(rows, { columns, format: 'JSONLines', compression: null });
  const text = Buffer.concat(await Array.fromAsync(bytes)).toString();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}
