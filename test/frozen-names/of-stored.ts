/** Names inside of JSON that the database keeps, and in the properties of events. */
import ts from 'typescript';
import type { Kind } from './kind.ts';
import { membersOf, type Product } from './product.ts';

export const STORED_KINDS: readonly Kind[] = [
  {
    name: 'stored-json',
    writtenTo: 'JSON columns of every installation’s database',
    least: 60,
    present: ({ product }) => [...membersOfRows(product()), ...membersInSql(product())],
  },
  {
    name: 'event-names',
    writtenTo: 'events that SDKs send, and in those that are stored and delivered',
    least: 60,
    present: ({ product }) => eventNames(product()),
  },
];

/** Of types in stores whose names end in `Row`: what their columns hold, by the column. The columns themselves are in the catalogues. */
function membersOfRows(product: Product): string[] {
  const found: string[] = [];
  const stores = product.files('src').filter(({ fileName }) => /(\.store|-rows)\.ts$/.test(fileName));
  for (const node of product.nodes(stores)) {
    if (!ts.isTypeAliasDeclaration(node) || !node.name.text.endsWith('Row')) continue;
    const members = membersOf(product, product.checker.getTypeAtLocation(node.name));
    found.push(...members.filter((name) => /[.[]/.test(name)));
  }
  return found;
}

const KEY_IN_SQL = /(?:->>?|jsonb_exists\([^,()]+,|jsonb_build_object\()\s*'([\w$]+)'/g;

/** Members that SQL reads. */
function membersInSql(product: Product): string[] {
  return product.files().flatMap(({ text }) => [...text.matchAll(KEY_IN_SQL)].map(([, name]) => `in SQL: ${name}`));
}

/** Words that begin with a dollar: names of events and of their properties, ours and upstream’s. */
function eventNames(product: Product): string[] {
  const found: string[] = [];
  for (const node of product.nodes()) {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    const isName = ts.isIdentifier(node) && node.text.startsWith('$');
    if (!isText && !isName) continue;
    for (const [name] of node.text.matchAll(/(?<![\w$\\])\$[a-z][a-z\d_]+/g)) found.push(name);
  }
  return found;
}
