/**
 * The product's sources with their types, for names that no running part tells. Packages are not read: a value of theirs has no type
 * here, and the whole takes two seconds instead of ten.
 */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['src', 'activities', 'workflows', 'migrations'];
const OPTIONS: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2024,
  lib: ['lib.es2024.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  allowImportingTsExtensions: true,
  noEmit: true,
};

export type Product = {
  /** Every file of the product, or those below a folder. */
  files(folder?: string): readonly ts.SourceFile[];
  /** Every node of these files, parents first. */
  nodes(files?: readonly ts.SourceFile[]): Iterable<ts.Node>;
  checker: ts.TypeChecker;
  /** A type alias or interface that a file exports. @throws Error when there is none */
  exported(file: string, name: string): ts.Type;
};

export function readProduct(): Product {
  const names = FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => path.join(ROOT, folder, name)),
  );
  const host = ts.createCompilerHost(OPTIONS, true);
  host.resolveModuleNameLiterals = (literals, from) =>
    literals.map(({ text }) => {
      const resolvedFileName = path.join(path.dirname(from), text);
      const isOurs = text.startsWith('.') && resolvedFileName.endsWith('.ts');
      return { resolvedModule: isOurs ? { resolvedFileName, extension: '.ts' } : undefined };
    });
  const program = ts.createProgram(names, OPTIONS, host);
  const checker = program.getTypeChecker();
  const all = program.getSourceFiles().filter(({ fileName }) => fileName.startsWith(ROOT) && !isPackage(fileName));
  const files = (folder = '') => all.filter(({ fileName }) => fileName.startsWith(path.join(ROOT, folder)));
  return {
    files,
    *nodes(within = all) {
      for (const file of within) yield* nodesOf(file);
    },
    checker,
    exported(name, exportName) {
      const file = program.getSourceFile(path.join(ROOT, name));
      const module = file && checker.getSymbolAtLocation(file);
      const symbol = module && checker.getExportsOfModule(module).find((one) => one.name === exportName);
      if (!symbol) throw new Error(`${name} does not export ${exportName}`);
      return symbol.flags & ts.SymbolFlags.Alias
        ? checker.getDeclaredTypeOfSymbol(checker.getAliasedSymbol(symbol))
        : checker.getDeclaredTypeOfSymbol(symbol);
    },
  };
}

const isPackage = (file: string) => file.includes('/node_modules/');

function* nodesOf(root: ts.Node): Generator<ts.Node> {
  const waiting = [root];
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    yield node;
    const children: ts.Node[] = [];
    ts.forEachChild(node, (child) => void children.push(child));
    waiting.push(...children.toReversed());
  }
}

/** @returns the texts that a value of this type can be, where all of them are known; none for any other type */
export function literalsOf(type: ts.Type): string[] {
  if (type.isStringLiteral()) return [type.value];
  const parts = type.isUnion() ? type.types.map(literalsOf) : [];
  return parts.some((one) => one.length === 0) ? [] : parts.flat();
}

/** Calls of functions, methods or constructors by the name after the last dot. */
export function* callsOf(
  { nodes }: Product,
  names: readonly string[],
  within?: readonly ts.SourceFile[],
): Generator<ts.CallExpression | ts.NewExpression> {
  for (const node of nodes(within)) {
    if (!ts.isCallExpression(node) && !ts.isNewExpression(node)) continue;
    const { expression } = node;
    const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
    if (ts.isIdentifier(name) && names.includes(name.text)) yield node;
  }
}

/** @returns the texts that an argument of a call can be, as `literalsOf` */
export function argumentOf({ checker }: Product, call: ts.CallExpression | ts.NewExpression, index: number): string[] {
  const argument = call.arguments?.[index];
  return argument ? literalsOf(checker.getTypeAtLocation(argument)) : [];
}

/** @returns names of the classes that extend one of these, directly or not */
export function subclassesOf({ nodes }: Product, parents: ReadonlySet<string>): string[] {
  const bases = [...nodes()].filter(ts.isClassDeclaration).map((one) => {
    return { name: one.name?.text ?? '', base: one.heritageClauses?.[0]?.types[0]?.expression.getText() ?? '' };
  });
  const found = new Set<string>();
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const { name, base } of bases) if (parents.has(base) || found.has(base)) found.add(name);
  }
  return [...found];
}

/**
 * The members of a type as JSON would have them: `files[].key`, and for members that are one of a few words `state = complete`. Classes, and types of
 * packages and of the language, have none.
 */
export function membersOf({ checker }: Product, type: ts.Type, at = ''): string[] {
  return [...walk(type, at, new Set())];

  function* walk(one: ts.Type, path: string, above: ReadonlySet<ts.Type>): Generator<string> {
    const awaited = checker.getAwaitedType(one) ?? one;
    if (above.has(awaited) || above.size > 12) return;
    const inside = new Set(above).add(awaited);
    if (awaited.isUnionOrIntersection()) {
      for (const part of awaited.types) yield* walk(part, path, inside);
    } else if (awaited.isStringLiteral()) {
      if (path !== '') yield `${path} = ${awaited.value}`;
    } else if (checker.isArrayLikeType(awaited)) {
      for (const item of checker.getTypeArguments(awaited as ts.TypeReference)) yield* walk(item, `${path}[]`, inside);
    } else if (awaited.flags & ts.TypeFlags.Object && awaited.getCallSignatures().length === 0) {
      yield* walkObject(awaited, path, inside);
    }
  }

  function* walkObject(one: ts.Type, path: string, above: ReadonlySet<ts.Type>): Generator<string> {
    for (const member of checker.getPropertiesOfType(one)) {
      if (!(member.declarations ?? []).every(isJson)) continue;
      const type = checker.getTypeOfSymbol(member);
      if (type.getCallSignatures().length > 0) continue;
      const place = path === '' ? member.name : `${path}.${member.name}`;
      yield place;
      yield* walk(type, place, above);
    }
    const values = checker.getIndexInfosOfType(one).find(({ keyType }) => keyType.flags & ts.TypeFlags.String);
    if (values) yield* walk(values.type, `${path}.*`, above);
  }
}

/** Of an object type of ours: members of classes, of packages and of the language are no data. */
function isJson(declaration: ts.Declaration): boolean {
  const { fileName } = declaration.getSourceFile();
  return fileName.startsWith(ROOT) && !isPackage(fileName) && !ts.isClassLike(declaration.parent);
}
