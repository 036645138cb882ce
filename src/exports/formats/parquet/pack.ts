/** Converts a page's body to its bytes in the file. Compression and hash are computed on the thread pool. */
import type { PageHeader } from 'hyparquet';
import type { Compression } from '../file-encoding.ts';
import { CODECS } from './codecs.ts';
import { hashOf } from './content.ts';
import { pageHeader } from './headers.ts';

export type PageKind = Pick<PageHeader, 'type' | 'data_page_header' | 'dictionary_page_header'>;

export type Page = {
  /** With its header. */
  bytes: Uint8Array;
  /** Size without compression. */
  rawBytes: number;
  /** sha256 of the body. */
  hash: Uint8Array;
};

export async function packPage(body: Uint8Array, kind: PageKind, compression: Compression | null): Promise<Page> {
  const [content, hash] = await Promise.all([
    compression === null ? body : CODECS[compression].compress(body),
    hashOf(body),
  ]);
  const header = pageHeader({ ...kind, uncompressed_page_size: body.length, compressed_page_size: content.length });
  return { bytes: Buffer.concat([header, content]), rawBytes: header.length + body.length, hash };
}
