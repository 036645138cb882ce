/** Where the product's sources mark safety lines, and how one is taken away. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { Tooth } from './tooth.ts';

const FOLDERS = ['src', 'activities', 'workflows', 'migrations'];
const MARKER = /^[ \t]*\/\/ tooth: (.*)$/gm;

export type Marker = {
  name: string;
  /** Path from the root. */
  file: string;
  /** Offset in the file's text. */
  at: number;
};

/** @returns the markers below a root, in order of file and place */
export function findMarkers(root: string): Marker[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name))),
  )
    .sort()
    .flatMap((file) => markersOf(file, readFileSync(path.join(root, file), 'utf8')));
}

/** @param text the file's content; `file` is only reported */
export function markersOf(file: string, text: string): Marker[] {
  return [...text.matchAll(MARKER)].map(({ index, 1: name = '' }) => ({ name: name.trim(), file, at: index }));
}

/** @returns what keeps a list and the markers from belonging together; nothing when they agree */
export function disagreements(teeth: readonly Tooth[], markers: readonly Marker[]): string[] {
  const listed = new Set(teeth.map(({ name }) => name));
  const marked = new Set(markers.map(({ name }) => name));
  return [
    ...repeatedNames(teeth).map((name) => `${name}: listed twice`),
    ...repeatedNames(markers).map((name) => `${name}: marked twice`),
    ...[...listed].filter((name) => !marked.has(name)).map((name) => `${name}: listed, and marked nowhere`),
    ...markers
      .filter(({ name }) => !listed.has(name))
      .map(({ name, file }) => `${name}: marked in ${file}, not listed`),
  ];
}

function repeatedNames(items: readonly { name: string }[]): string[] {
  const seen = new Set<string>();
  return items.flatMap(({ name }) => (seen.size === seen.add(name).size ? [name] : []));
}

/**
 * The text without the tooth.
 * @throws Error when no statement follows the marker, or the replacement would change nothing or make the file unreadable
 */
export function withoutTooth(text: string, marker: Marker, tooth: Tooth): string {
  const tree = parse(marker.file, text);
  const node = nodeAfter(tree, marker.at);
  if (!node) throw new Error(`${tooth.name}: no statement follows its marker in ${marker.file}`);
  const [start, end] = [node.getStart(tree), node.getEnd()];
  const changed = text.slice(0, start) + changedNode(node, text.slice(start, end), tooth) + text.slice(end);
  // A file that does not parse fails every test, and proves nothing.
  if (problemsOf(parse(marker.file, changed)) > problemsOf(tree)) {
    throw new Error(`${tooth.name}: without it ${marker.file} does not parse`);
  }
  return changed;
}

function changedNode(node: ts.Node, own: string, { name, replace }: Tooth): string {
  if (!replace) {
    if (!ts.isStatement(node)) throw new Error(`${name}: only a statement can be taken away as a whole`);
    return ';';
  }
  const [from, to] = replace;
  const at = own.indexOf(from);
  if (at < 0 || from === to) throw new Error(`${name}: the statement after its marker has no “${from}” to replace`);
  return own.slice(0, at) + to + own.slice(at + from.length);
}

/** The outermost node that the comment at this offset stands before. */
function nodeAfter(tree: ts.SourceFile, at: number): ts.Node | undefined {
  const visit = (node: ts.Node): ts.Node | undefined => {
    if (at < node.getFullStart() || at >= node.getEnd()) return undefined;
    if (at < node.getStart(tree) && node !== tree) return node;
    return ts.forEachChild(node, visit);
  };
  return ts.forEachChild(tree, visit);
}

function parse(file: string, text: string): ts.SourceFile {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TS);
}

/** The parser's own list, which its types leave out. */
function problemsOf(tree: ts.SourceFile): number {
  return (tree as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics.length;
}
