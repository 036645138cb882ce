/** Plans the content of a run and its parts, for the run itself and for previews. */
import type { Destination } from '../destinations/contract.ts';
import { fileEncodingOf, namesEvents, type FileConfig } from '../destinations/object-store/config.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { EventReader } from '../../events/reading/read.ts';
import { columnsOf, type Slice } from '../../events/reading/selection.ts';
import { isHashed } from '../../conditions/rows/content.ts';
import {
  FORMAT_VERSION,
  MAX_READINGS,
  planLimits,
  readingsOf,
  tooManyPartsSentence,
  tooManyReadingsSentence,
  type Plan,
} from '../domain/plan.ts';

export type PlannedSlice = {
  destination: Pick<Destination, 'takes'>;
  /** The destination's configuration. */
  config: Readonly<Record<string, unknown>>;
  slice: Slice;
  /** Encrypted. */
  hashKey: string | null;
};

type FilePlan = FileConfig & { max_file_size_mb?: number | null; prefix?: string };

/** @throws Unavailable when the slice is not sealed; InvalidInput when its content cannot be computed, or has too many parts */
export async function planContent(
  events: Pick<EventReader, 'measure'>,
  { destination, config, slice, hashKey }: PlannedSlice,
  options: { seconds?: number } = {},
): Promise<Plan> {
  const { content, cutoff } = slice;
  const fileConfig = config as FilePlan;
  const byEvent = destination.takes === 'files' && namesEvents(fileConfig);
  const limits = planLimits(destination.takes, fileConfig.max_file_size_mb, { byEvent });
  const { rows, bytes, parts, events: partsOfEvents } = await events.measure(slice, limits, options);
  if (parts.length > limits.parts)
    throw new InvalidInput(
      tooManyPartsSentence(destination.takes, limits, { rows, bytes }),
      'interval',
      'too_many_parts',
    );
  const readings = partsOfEvents && readingsOf(parts, partsOfEvents);
  if (readings && readings.length > MAX_READINGS)
    throw new InvalidInput(tooManyReadingsSentence({ rows, bytes }), 'interval', 'too_many_parts');
  return {
    cutoff,
    rows,
    bytes,
    parts,
    content,
    hashKey: isHashed(content) ? hashKey : null,
    columns: columnsOf(content, destination.takes),
    file: {
      ...fileEncodingOf(fileConfig),
      numbered: Boolean(fileConfig.max_file_size_mb) || (partsOfEvents ? 'per_event' : parts.length > 1),
    },
    ...(partsOfEvents &&
      readings && {
        byEvent: { events: partsOfEvents.map(({ event, parts: count }) => ({ event, parts: count })), readings },
      }),
    formatVersion: FORMAT_VERSION,
  };
}
