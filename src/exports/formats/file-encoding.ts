/** Formats and compressions of files. */

export const FILE_FORMATS = ['Parquet', 'JSONLines', 'CSV'] as const;
export type FileFormat = (typeof FILE_FORMATS)[number];
export const COMPRESSIONS = ['zstd', 'lz4', 'snappy', 'gzip', 'brotli'] as const;
export type Compression = (typeof COMPRESSIONS)[number];
/** Compressions that each format supports; every format may also be uncompressed. */
export const SUPPORTED_COMPRESSIONS: Record<FileFormat, readonly Compression[]> = {
  Parquet: COMPRESSIONS,
  JSONLines: ['gzip', 'brotli', 'zstd'],
  CSV: ['gzip', 'brotli', 'zstd'],
};

/** How a file is written: fixed in the plan. */
export type FileEncoding = {
  format: FileFormat;
  compression: Compression | null;
  /** Parquet: whether names contain the compression, `.parquet.zst`, as those of other formats always do. */
  codecInName?: boolean;
  /** CSV: cells that a spreadsheet would run as a formula begin with an apostrophe. */
  formulaSafe?: boolean;
};
