/** A kind of frozen names, its committed list, and how the list compares with what is present. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Installation } from './installation.ts';
import type { Product } from './product.ts';

/** Places that names are read from. Both are made when they are first asked for. */
export type Sources = { product(): Product; installation(): Promise<Installation> };

export type Kind = {
  /** Also the name of the list: `test/frozen-names/<name>.txt`. */
  name: string;
  /** The place outside of the process that holds such names; ends the sentence "A name of this kind is in …". */
  writtenTo: string;
  /** Fewer present names than this mean that the reader no longer finds its source. */
  least: number;
  /** @returns the names that the present code writes or reads, in any order, repeats allowed */
  present(sources: Sources): Promise<Iterable<string>> | Iterable<string>;
};

/** `gone`: listed and no longer present. `added`: present and not listed. Both sorted. */
export type Comparison = { gone: string[]; added: string[] };

export function compare(listed: readonly string[], present: Iterable<string>): Comparison {
  const [before, now] = [new Set(listed), new Set(present)];
  return { gone: sorted(before.difference(now)), added: sorted(now.difference(before)) };
}

/** @returns what to tell the author of a change, a line each; none when list and code agree */
export function complaints(
  { name, writtenTo }: Pick<Kind, 'name' | 'writtenTo'>,
  { gone, added }: Comparison,
): string[] {
  return [
    ...gone.map(
      (one) =>
        `${name}: "${one}" is gone. A name of this kind is in ${writtenTo}, where a rename does not reach it. Keep the old name. ` +
        `Only where a release truly removed it: delete its line in test/frozen-names/${name}.txt and give the reason in the commit.`,
    ),
    ...added.map((one) => `${name}: "${one}" is new. Add it to the list with: npm run frozen-names`),
  ];
}

/** By code units, so that the order is the same on every machine. */
export function sorted(names: Iterable<string>): string[] {
  return [...new Set(names)].sort();
}

const fileOf = (name: string) => fileURLToPath(new URL(`${name}.txt`, import.meta.url));

/** @returns the lines of the committed list, as they stand there; none when there is no list yet */
export function readList(name: string): string[] {
  try {
    return readFileSync(fileOf(name), 'utf8').split('\n').slice(0, -1);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

export function writeList(name: string, names: Iterable<string>): void {
  writeFileSync(
    fileOf(name),
    sorted(names)
      .map((one) => `${one}\n`)
      .join(''),
  );
}
