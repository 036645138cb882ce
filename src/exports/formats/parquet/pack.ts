/** From a page's body to its bytes in the file: header, compression, hash; the last two on the thread pool. */
import type { PageHeader } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer/src/bytewriter.js';
import { writePageHeader } from 'hyparquet-writer/src/datapage.js';
import type { Compression } from '../file-encoding.ts';
import { CODECS } from './codecs.ts';
import { hashOf } from './content.ts';

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
  const writer = new ByteWriter(64);
  writePageHeader(writer, { ...kind, uncompressed_page_size: body.length, compressed_page_size: content.length });
  const header = writer.getBytes();
  return { bytes: Buffer.concat([header, content]), rawBytes: header.length + body.length, hash };
}
