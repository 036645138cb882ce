/** Every regular expression that the product's sources write: literals, `new RegExp` of constant text, and `pattern` of schemas. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export type SourcePattern = {
  /** Path from the root of the repository. */
  file: string;
  line: number;
  /** undefined: the text is not constant, so it has to be reviewed by hand. */
  source: string | undefined;
  flags: string;
};

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDERS = ['src', 'activities', 'workflows', 'migrations', 'bin'];
const RAW = 'String.raw';

/** @returns the patterns in order of file and line */
export function patternsOfSource(): SourcePattern[] {
  return filesOfSource().flatMap((file) => patternsOfFile(file, readFileSync(path.join(ROOT, file), 'utf8')));
}

function filesOfSource(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && (/\.(?:[cm]?[jt]sx?)$/.test(entry.name) || folder === 'bin'))
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))),
  ).sort();
}

/** @param text the file's content; `file` is only reported */
export function patternsOfFile(file: string, text: string): SourcePattern[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : file.endsWith('.ts') ? ts.ScriptKind.TS : ts.ScriptKind.JS;
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
  const constants = constantsOf(tree);
  const found: SourcePattern[] = [];
  const add = (node: ts.Node, source: string | undefined, flags: string) => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
    found.push({ file, line, source, flags });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      add(node, node.text.slice(1, end), node.text.slice(end + 1) + (isToken(node) ? 'y' : ''));
    } else if (isRegExpCall(node)) {
      const [source, flags] = node.arguments ?? [];
      if (source && !ts.isRegularExpressionLiteral(source)) {
        add(node, textOf(source, constants), flags ? (textOf(flags, constants) ?? '') : '');
      }
    } else if (ts.isPropertyAssignment(node) && node.name.getText(tree) === 'pattern') {
      // Ajv makes regexes with the flag `u` of texts.
      if (!ts.isRegularExpressionLiteral(node.initializer)) add(node, textOf(node.initializer, constants), 'u');
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

/** `pattern` of a lexer's token: it is only tried where the token before ended. */
function isToken({ parent }: ts.Node): boolean {
  return ts.isPropertyAssignment(parent) && parent.name.getText() === 'pattern';
}

function isRegExpCall(node: ts.Node): node is ts.NewExpression | ts.CallExpression {
  return (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === 'RegExp';
}

function constantsOf(tree: ts.SourceFile): ReadonlyMap<string, ts.Expression> {
  const constants = new Map<string, ts.Expression>();
  for (const statement of tree.statements) {
    if (!ts.isVariableStatement(statement)) continue;
    for (const { name, initializer } of statement.declarationList.declarations) {
      if (ts.isIdentifier(name) && initializer) constants.set(name.text, initializer);
    }
  }
  return constants;
}

/** The text of an expression that is made of constants of the same file; undefined for others. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value && textOf(value, constants);
  }
  if (ts.isPropertyAccessExpression(node) && node.name.text === 'source') {
    return ts.isIdentifier(node.expression) ? sourceOf(constants.get(node.expression.text)) : undefined;
  }
  if (ts.isTaggedTemplateExpression(node)) {
    return node.tag.getText() === RAW ? templateText(node.template, constants, true) : undefined;
  }
  if (ts.isTemplateExpression(node)) return templateText(node, constants, false);
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
    const [left, right] = [textOf(node.left, constants), textOf(node.right, constants)];
    return left === undefined || right === undefined ? undefined : left + right;
  }
  return undefined;
}

function sourceOf(node: ts.Expression | undefined): string | undefined {
  return node && ts.isRegularExpressionLiteral(node) ? node.text.slice(1, node.text.lastIndexOf('/')) : undefined;
}

function templateText(
  template: ts.TemplateLiteral,
  constants: ReadonlyMap<string, ts.Expression>,
  raw: boolean,
): string | undefined {
  const own = (part: ts.TemplateLiteralLikeNode) => (raw ? (part.rawText ?? part.text) : part.text);
  if (ts.isNoSubstitutionTemplateLiteral(template)) return own(template);
  let text = own(template.head);
  for (const { expression, literal } of template.templateSpans) {
    const inner = textOf(expression, constants);
    if (inner === undefined) return undefined;
    text += inner + own(literal);
  }
  return text;
}
