/** Configuration that all file destinations share. The fields of the group `files`, except the layout, decide how the engine makes files. */
import { InvalidInput } from '../../../platform/errors.ts';
import { nullable, stringEnum, Type, type Static, type TSchema } from '../../../platform/schema.ts';
import {
  COMPRESSIONS,
  FILE_FORMATS,
  SUPPORTED_COMPRESSIONS,
  type Compression,
  type FileEncoding,
  type FileFormat,
} from '../../formats/file-encoding.ts';
import { addGroup, shownWhen } from '../define.ts';
import { REPLACED_AT_ONCE, type ConditionalPromises } from '../promises.ts';
import { EVENT } from './event-folders.ts';
import {
  checkPrefix,
  inPathStyle,
  LAYOUTS,
  PATH_STYLES,
  PREFIX_VARIABLES,
  type Layout,
  type PathStyle,
} from './keys.ts';

const DEFAULT_FORMAT = 'JSONLines';

export const fileProperties = {
  ...addGroup('place', {
    prefix: Type.String({
      default: '',
      title: 'Prefix',
      examples: ['events/{year}/{month}/{day}'],
      description: `The folder of the files. It may contain ${PREFIX_VARIABLES.join(', ')}: the date variables refer to the end of the interval in UTC, {table} is the model, and with {event} each file has the rows of one event.`,
    }),
    path_style: stringEnum(PATH_STYLES, {
      title: 'Path style',
      default: 'flat',
      description:
        'flat: the files are in the prefix itself. hive: they are in partition folders below it, such as ' +
        'date=2026-11-22/hour=13, of the hour in UTC in which their interval starts. ' +
        'Another style is another place: intervals that were delivered stay where they are.',
    }),
  }),
  ...addGroup('files', {
    layout: stringEnum(LAYOUTS, {
      title: 'Layout',
      default: 'versioned',
      description:
        'versioned: file names include the run, and readers follow the manifest, which changes atomically; files that a ' +
        'later delivery replaces are deleted after 24 hours, or the time that the operator has set. ' +
        'stable: file names depend only on the data interval, and readers may see a later delivery half-written.',
    }),
    file_format: stringEnum(FILE_FORMATS, {
      title: 'Format',
      default: DEFAULT_FORMAT,
      description:
        'JSONLines: one object per line. CSV: with a header row and null as an empty cell. Parquet: typed columns.',
    }),
    compression: withDefault(
      nullable(
        stringEnum(COMPRESSIONS, {
          description: 'The compression of the files; lz4 and snappy are available for Parquet only.',
        }),
        { title: 'Compression' },
      ),
      null,
    ),
    max_file_size_mb: withDefault(
      nullable(
        Type.Integer({
          minimum: 0,
          maximum: 1_000_000,
          description:
            'The approximate maximum file size before compression, in megabytes. Larger intervals are split into files ' +
            'numbered from 0. Empty or 0: one file where possible.',
        }),
        { title: 'Maximum file size' },
      ),
      null,
    ),
    csv_formula_safe: shownWhen(
      { file_format: ['CSV'] },
      Type.Boolean({
        default: false,
        title: 'Formula-safe CSV',
        description: 'CSV only: prefix text that a spreadsheet would run as a formula with an apostrophe.',
      }),
    ),
    legacy_parquet_extension: shownWhen(
      { file_format: ['Parquet'] },
      Type.Boolean({
        default: false,
        title: 'Compression in Parquet names',
        description: 'Parquet only: append the compression to file names, as in .parquet.zst.',
      }),
    ),
  }),
};

/** Adds a default to a schema whose constructor, such as `nullable`, takes none. */
export function withDefault<S extends TSchema>(schema: S, value: Static<S>): S {
  return { ...schema, default: value };
}

/** Makes the checks of `checkBeforeSchema` with upstream's messages. @throws InvalidInput for an unknown format or compression */
export function checkFileFormat(config: Readonly<Record<string, unknown>>): void {
  const { file_format: format = DEFAULT_FORMAT, compression = null } = config as Record<string, string | null>;
  if (!isOneOf(FILE_FORMATS, format)) {
    throw new InvalidInput(
      `File format ${format} is not supported. Supported file formats are ${pythonList(FILE_FORMATS)}`,
      'destination',
    );
  }
  const supported = SUPPORTED_COMPRESSIONS[format];
  if (compression === null || isOneOf(supported, compression)) return;
  throw new InvalidInput(
    `Compression ${compression} is not supported for file format ${format}. ` +
      `Supported compressions are ${pythonList(supported)}`,
    'destination',
  );
}

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((candidate) => candidate === value);
}

/** Formats a list as Python does. */
function pythonList(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/** Exports that were created before layouts existed keep their stable names. */
export const FORMER_FILE_CONFIG = { layout: 'stable' } as const;

/** Stable names are written over, so a re-delivery can be seen half-way. */
export const FILE_PROMISES: readonly ConditionalPromises[] = [
  { when: { layout: 'versioned' }, ...REPLACED_AT_ONCE },
  { when: {}, ...REPLACED_AT_ONCE, readers: 'half_while_replaced' },
];

export function layoutOf({ layout }: { layout?: Layout }): Layout {
  return layout ?? FORMER_FILE_CONFIG.layout;
}

/** The folder of a checked configuration's files, with variables in braces. Exports that were created before path styles are flat. */
export function folderPattern({ prefix, path_style }: { prefix: string; path_style?: PathStyle }): string {
  return inPathStyle(checkPrefix(prefix), path_style);
}

/** Whether the names of a configuration's files contain the event, so that each file holds one. */
export function namesEvents({ prefix }: { prefix?: string }): boolean {
  return prefix?.includes(EVENT) ?? false;
}

/** The fields of a configuration that decide how files are written. */
export type FileConfig = {
  file_format?: FileFormat;
  compression?: Compression | null;
  csv_formula_safe?: boolean;
  legacy_parquet_extension?: boolean;
};

/** How the files of a checked configuration are written. */
export function fileEncodingOf(config: FileConfig): FileEncoding {
  return {
    format: config.file_format ?? DEFAULT_FORMAT,
    compression: config.compression ?? null,
    ...(config.csv_formula_safe && { formulaSafe: true }),
    ...(config.legacy_parquet_extension && { codecInName: true }),
  };
}
