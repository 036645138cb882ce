/** Bytes that a browser loads, compressed by brotli, by the manifest of the build. */
import assert from 'node:assert/strict';
import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { buildConsole } from '../../console/build.ts';

const FIRST_PAGE_KB = 180;
const FURTHER_PAGE_KB = 60;
const FIRST_PAGE = 'src/exports/list/exports-page.tsx';
/** Pages that load further code unasked, by what they show. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'src/dashboards/page/dashboard-page.tsx': ['src/dashboards/page/markdown.tsx'],
};

type Chunk = { file: string; imports?: string[]; css?: string[]; isDynamicEntry?: boolean };

describe('the bundle of the console', () => {
  let folder: string;
  let chunks: Record<string, Chunk>;
  before(async () => {
    ({ folder } = await buildConsole());
    chunks = JSON.parse(await readFile(path.join(folder, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
  });

  /** Files that a page loads, with all that it imports. */
  function filesOf(entry: string, seen = new Set<string>(), files = new Set<string>()): Set<string> {
    if (seen.has(entry)) return files;
    seen.add(entry);
    const { file, css = [], imports = [] } = chunks[entry]!;
    for (const one of [file, ...css]) files.add(one);
    for (const one of imports) filesOf(one, seen, files);
    return files;
  }

  /** With the entry, which every page begins with. */
  const filesOfPage = (page: string) => filesOf(page, new Set(), filesOf('index.html'));

  async function kilobytes(files: Iterable<string>): Promise<number> {
    let bytes = 0;
    for (const file of files) bytes += (await stat(path.join(folder, `${file}.br`))).size;
    return bytes / 1000;
  }

  it(`takes at most ${FIRST_PAGE_KB} kB until the exports are shown`, async () => {
    const size = await kilobytes(filesOfPage(FIRST_PAGE));
    assert.ok(size > 50 && size <= FIRST_PAGE_KB, `${size.toFixed(1)} kB`);
  });

  it(`takes at most ${FURTHER_PAGE_KB} kB for each further page`, async () => {
    const first = filesOfPage(FIRST_PAGE);
    const pages = Object.keys(chunks).filter((name) => chunks[name]!.isDynamicEntry);
    assert.ok(pages.length > 1);
    for (const page of pages) {
      const all = [page, ...(PARTS[page] ?? [])].flatMap((one) => [...filesOfPage(one)]);
      const further = new Set(all.filter((file) => !first.has(file)));
      const size = await kilobytes(further);
      assert.ok(size <= FURTHER_PAGE_KB, `${page}: ${size.toFixed(1)} kB`);
    }
  });
});
