/** Configuration that all file destinations have in common; the engine plans and encodes by all but the prefix. */
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
import { LAYOUTS, PREFIX_VARIABLES, type Layout } from './keys.ts';

const DEFAULT_FORMAT = 'JSONLines';

export const fileProperties = {
  prefix: Type.String({
    default: '',
    title: 'Prefix',
    description:
      `Folder of the files. May contain ${PREFIX_VARIABLES.join(', ')}: ` +
      'parts of the date are of the interval’s end, in UTC; {table} is the model.',
  }),
  layout: stringEnum(LAYOUTS, {
    default: 'versioned',
    description:
      'versioned: names of files hold the run, and files that a re-delivery replaces stay; readers follow the manifest, which changes in one moment. ' +
      'stable: names follow from the data interval alone, and a re-delivery can be seen half-way.',
  }),
  file_format: stringEnum(FILE_FORMATS, {
    default: DEFAULT_FORMAT,
    description: 'JSONLines: one object per line. CSV: with a header, null as an empty cell. Parquet: typed columns.',
  }),
  compression: withDefault(
    nullable(
      stringEnum(COMPRESSIONS, { description: 'How files are compressed; lz4 and snappy are for Parquet alone.' }),
    ),
    null,
  ),
  max_file_size_mb: withDefault(
    nullable(
      Type.Integer({
        minimum: 0,
        maximum: 1_000_000,
        description:
          'Splits an interval into files of about this size before compression, numbered from 0. Empty or 0: one file, where it fits.',
      }),
    ),
    null,
  ),
  csv_formula_safe: Type.Boolean({
    default: false,
    description: 'CSV: text that a spreadsheet would run as a formula begins with an apostrophe.',
  }),
  legacy_parquet_extension: Type.Boolean({
    default: false,
    description: 'Parquet: names end with the compression too, such as .parquet.zst.',
  }),
};

/** A default where `nullable` takes none. */
export function withDefault<S extends TSchema>(schema: S, value: Static<S>): S {
  return { ...schema, default: value };
}

/** For `checkFirst`, with upstream's messages. @throws InvalidInput for a format or compression that there is not */
export function checkFileFormat(config: Readonly<Record<string, unknown>>): void {
  const { file_format: format = DEFAULT_FORMAT, compression = null } = config as Record<string, string | null>;
  if (!isOneOf(FILE_FORMATS, format)) {
    throw new InvalidInput(
      `File format ${format} is not supported. Supported file formats are ${listed(FILE_FORMATS)}`,
      'destination',
    );
  }
  const supported = SUPPORTED_COMPRESSIONS[format];
  if (compression === null || isOneOf(supported, compression)) return;
  throw new InvalidInput(
    `Compression ${compression} is not supported for file format ${format}. ` +
      `Supported compressions are ${listed(supported)}`,
    'destination',
  );
}

function isOneOf<T extends string>(values: readonly T[], value: unknown): value is T {
  return values.some((one) => one === value);
}

/** A list as Python writes it. */
function listed(values: readonly string[]): string {
  return `[${values.map((value) => `'${value}'`).join(', ')}]`;
}

/** Exports that were made before there were layouts keep the names that they have. */
export const FORMER_FILE_CONFIG = { layout: 'stable' } as const;

export function layoutOf({ layout }: { layout?: Layout }): Layout {
  return layout ?? FORMER_FILE_CONFIG.layout;
}

/** The part of a configuration that decides how files are written. */
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
