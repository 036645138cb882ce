/**
 * Key spaces: every key that a destination's configuration can ever generate. They are stored as text, such as
 * `s3:https://store.example.com/bucket/web/{year}`, and compared by the keys, because `{year}` and `2025` are different texts with
 * common keys.
 */
import { VARIABLES, type Characters } from './object-store/prefix-variables.ts';

export type KeySpace = {
  /** The store that holds the keys: only key spaces of one store can have keys in common. */
  store: string;
  /** A piece that the text of every key space of the store contains, for finding them in a table. */
  searchMarker: string;
  /** Folder of the keys, with variables in braces; null if the store is a single key, such as a table. */
  folder: string | null;
};

const LOCAL = /^(local:[^/]*)\/(.*)$/s;
const S3 = /^s3:(aws|https?:\/\/[^/]*)\/([^/]*)\/(.*)$/s;
/** Of Azure and Google. */
const NATIVE = /^((?:azure|gcs):[^#]*#[^/]*)\/(.*)$/s;
/** Hosts of Amazon in all regions, which share the names of buckets. */
const AMAZON = /^https?:\/\/([^/:]*\.)?amazonaws\.com(\.cn)?(:\d+)?$/;

/** @param text as `Destination.keySpace` returned it, now or in an earlier version */
export function parseKeySpace(text: string): KeySpace {
  const local = LOCAL.exec(text);
  if (local) return { store: local[1]!, searchMarker: `${local[1]}/`, folder: local[2]! };
  const native = NATIVE.exec(text);
  if (native) return { store: native[1]!, searchMarker: `${native[1]}/`, folder: native[2]! };
  const s3 = S3.exec(text);
  if (!s3) return { store: text, searchMarker: text, folder: null };
  const [, origin, bucket, folder] = s3;
  return {
    store: `s3:${AMAZON.test(origin!) ? 'aws' : origin}/${bucket}`,
    searchMarker: `/${bucket}/`,
    folder: folder!,
  };
}

/** Fills in `{table}`, which a key space can contain because an export's model never changes. */
export function withModel(folder: string, model: string): string {
  return folder.replaceAll('{table}', model);
}

/**
 * Whether both may contain the same key. Variables are treated as independent of each other, so the answer may be yes because of a
 * combination of values that no data interval has; a no is always right.
 */
export function overlaps(one: KeySpace, other: KeySpace): boolean {
  if (one.store !== other.store) return false;
  if (one.folder === null || other.folder === null) return one.folder === other.folder;
  return haveCommonHead(one.folder, other.folder) && haveCommonText(graphOf(one.folder), graphOf(other.folder));
}

/** Compares the texts before the first variables, which is enough for most pairs, and quick. */
function haveCommonHead(one: string, other: string): boolean {
  const [a, b] = [one, other].map((folder) => folder.replace(/\{.*$/s, '')) as [string, string];
  return a.startsWith(b) || b.startsWith(a);
}

/** Graph of the texts that a folder can become: every path from node 0 to the last node spells one. */
type Graph = { edges: readonly (readonly Edge[])[]; lastNode: number };
type Edge = { characters: Characters; to: number };

function graphOf(folder: string): Graph {
  const edges: Edge[][] = [[]];
  let end = 0;
  const node = () => edges.push([]) - 1;

  /** Appends alternatives, each a list of positions, between the current end and a new one. */
  function appendAlternatives(shapes: readonly (readonly Characters[])[], repeats = false): void {
    const next = node();
    for (const shape of shapes) {
      let at = end;
      for (const [index, characters] of shape.entries()) {
        const to = index === shape.length - 1 ? next : node();
        edges[at]!.push({ characters, to });
        if (repeats) edges[to]!.push({ characters, to });
        at = to;
      }
    }
    end = next;
  }

  for (const piece of folder.split(/(\{[a-z_]+\})/)) {
    const name = piece.slice(1, -1);
    const variable = piece.startsWith('{') && Object.hasOwn(VARIABLES, name) ? VARIABLES[name] : undefined;
    if (variable && variable.shapes.length > 0) appendAlternatives(variable.shapes, variable.repeats);
    else for (const character of piece) appendAlternatives([[character]]);
  }
  return { edges, lastNode: end };
}

/** Walks both graphs at once, and visits each pair of nodes at most once. */
function haveCommonText(one: Graph, other: Graph): boolean {
  const width = other.edges.length;
  const seen = new Set([0]);
  const waiting: [number, number][] = [[0, 0]];
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [a, b] = pair;
    if (a === one.lastNode && b === other.lastNode) return true;
    for (const first of one.edges[a]!) {
      for (const second of other.edges[b]!) {
        const target = first.to * width + second.to;
        if (seen.has(target) || !haveCommonCharacter(first.characters, second.characters)) continue;
        seen.add(target);
        waiting.push([first.to, second.to]);
      }
    }
  }
  return false;
}

function haveCommonCharacter(one: Characters, other: Characters): boolean {
  for (const character of one) if (other.includes(character)) return true;
  return false;
}
