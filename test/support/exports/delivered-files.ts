/** The files of a LocalFile export as its readers find them: through the manifests in its folder. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

type Manifest = { state: string; rows: number; files: { key: string; rows: number }[] };

/** The folder's manifests, in the order of their intervals. */
export async function deliveredManifests(folder: string): Promise<Manifest[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('_manifest.json')).sort();
  return Promise.all(
    names.map(async (name) => JSON.parse(await readFile(path.join(folder, name), 'utf8')) as Manifest),
  );
}

/** Paths of the files that the manifests name, in the order of intervals and parts. */
export async function deliveredFiles(folder: string): Promise<string[]> {
  const manifests = await deliveredManifests(folder);
  return manifests.flatMap(({ files }) => files.map(({ key }) => path.join(folder, path.basename(key))));
}

/** Rows of all intervals, where they are lines of JSON without compression. */
export async function deliveredRows<Row>(folder: string): Promise<Row[]> {
  const files = await deliveredFiles(folder);
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Row),
  );
}
