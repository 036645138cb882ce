/** Tables in a catalog as a reader finds them: a snapshot's manifests, the files that they name, and the rows in them. */
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { zstdDecompressSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { readAvro } from '../../../src/exports/destinations/iceberg/avro.ts';
import {
  MAX_ANSWER_BYTES,
  openCatalog,
  type TableMetadata,
} from '../../../src/exports/destinations/iceberg/catalog.ts';
import { hostRules } from '../../../src/platform/net/host-rules.ts';
import type { TestNamespace } from '../servers/iceberg-catalog.ts';

type Entry = { status: number; data_file: { content: number; file_path: string } };
export type ManifestPath = { manifest_path: string };

export const keyOf = (url: string) => new URL(url).pathname.slice(1);

/** A namespace whose files are not in S3. */
type OtherNamespace = Pick<TestNamespace, 'uri' | 'namespace'> & { read(key: string): Promise<Buffer> };

export function lakeReader({ uri, namespace, ...files }: TestNamespace | OtherNamespace) {
  async function bytesOf(url: string): Promise<Buffer> {
    if ('read' in files) return files.read(keyOf(url));
    const { client, bucket: Bucket } = files.bucket;
    const { Body } = await client.send(new GetObjectCommand({ Bucket, Key: keyOf(url) }));
    return Buffer.from(await Body!.transformToByteArray());
  }
  const avroOf = async <T>(url: string) => readAvro<T>(await bytesOf(url));
  /** @returns the URLs of a snapshot's manifests */
  async function manifestsOf(list: string): Promise<string[]> {
    return (await avroOf<ManifestPath>(list)).map(({ manifest_path }) => manifest_path);
  }
  /** @returns the URLs of the data files that are live in a manifest */
  async function filesOfManifest(manifest: string): Promise<string[]> {
    const entries = await avroOf<Entry>(manifest);
    return entries.flatMap(({ status, data_file }) =>
      status === 2 || data_file.content !== 0 ? [] : data_file.file_path,
    );
  }
  return {
    bytesOf,
    readAvro: avroOf,
    /** @returns nothing if there is no such table */
    async loadTable(table: string): Promise<TableMetadata | undefined> {
      const catalog = openCatalog({
        uri,
        warehouse: null,
        token: null,
        client: null,
        signing: null,
        delegates: false,
        namespace,
        table,
        rules: hostRules(['127.0.0.0/8']),
        maxAnswerBytes: MAX_ANSWER_BYTES.run,
        signal: new AbortController().signal,
      });
      return catalog.load().finally(catalog.close);
    },
    manifestsOf,
    filesOfManifest,
    /** @returns the URLs of the data files that a manifest list leads to */
    async filesOf(list: string): Promise<string[]> {
      return (await Promise.all((await manifestsOf(list)).map(filesOfManifest))).flat();
    },
    /** @param columns all by default */
    async rowsOf(url: string, columns?: string[]): Promise<Record<string, unknown>[]> {
      const { buffer, byteOffset, length } = await bytesOf(url);
      const file = buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer;
      const compressors = { ZSTD: (packed: Uint8Array) => zstdDecompressSync(packed) };
      return parquetReadObjects({ file, compressors, ...(columns && { columns }) });
    },
  };
}
