/** Names inside of JSON that the database keeps, and in the properties of events. */
import ts from 'typescript';
import type { Kind } from './kind.ts';
import { column } from './of-database.ts';
import { callsOf, membersOf, type Product } from './product.ts';

export const STORED_KINDS: readonly Kind[] = [
  {
    name: 'database/stored-json',
    writtenTo: 'JSON columns of every installation’s database',
    least: 60,
    async present({ product, installation }) {
      const columns = new Set(await column((await installation()).own, JSON_COLUMNS));
      const members = membersOfRows(product()).filter((name) => columns.has(name.split(/[.[]/)[0]!));
      return [...members, ...leftByDestinations(product()), ...membersInSql(product())];
    },
  },
  {
    name: 'processes/event-names',
    writtenTo: 'events that SDKs send, and in those that are stored and delivered',
    least: 60,
    present: ({ product }) => eventNames(product()),
  },
];

/** Arrays of JSON, too. */
const JSON_COLUMNS = `
  select attname from pg_attribute join pg_class on pg_class.oid = attrelid
  where relnamespace = 'public'::regnamespace and atttypid in ('jsonb'::regtype, 'json'::regtype, 'jsonb[]'::regtype)`;

/** Of types in stores whose names end in `Row`: what their members hold. Not all are columns: some are made by a query. */
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

/** Records of what a run left at its destination, and parts as `write` hands them to `commit`: each destination has its own. */
function leftByDestinations(product: Product): string[] {
  const files = product.files('src/exports/destinations');
  const records = [...callsOf(product, ['record'], files)].flatMap((call) =>
    membersOf(product, product.checker.getTypeAtLocation(call.arguments![0]!)).map((name) => `artifact.${name}`),
  );
  const parts = [...product.nodes(files)].flatMap((node) => {
    const isValue = ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node);
    if (!isValue || node.name.getText() !== 'staged') return [];
    return membersOf(product, product.checker.getTypeAtLocation(node.name)).map((name) => `staged.staged.${name}`);
  });
  const whole = membersOf(product, product.exported('src/exports/destinations/delivery.ts', 'StagedPart'));
  return [...records, ...parts, ...whole.map((name) => `staged.${name}`)];
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
