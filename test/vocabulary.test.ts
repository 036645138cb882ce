/**
 * Comments and test titles begin with the noun that they are about, and names are those of docs/glossary.md: a pronoun or a question word
 * leaves the reader to guess. Migrations are left out, because they are never edited.
 */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const FOLDERS = ['console', 'src', 'activities', 'workflows', 'test', 'bench', 'dev', 'examples'];

const PEOPLE = 'the noun for the people: callers, members, persons, readers';
const THINGS = 'the noun for the thing, and then what is true of it';
const ABSENCE = 'the noun, and "no" or "never" later: "No run …", "Requests are never …"';
/** Words that no comment begins with, nor a line of one, and what to begin with instead. */
const OPENINGS: Readonly<Record<string, string>> = {
  Who: PEOPLE,
  Whoever: PEOPLE,
  Whose: PEOPLE,
  Somebody: PEOPLE,
  Everybody: PEOPLE,
  Anybody: PEOPLE,
  They: PEOPLE,
  Those: PEOPLE,
  What: THINGS,
  Whatever: THINGS,
  It: THINGS,
  Its: THINGS,
  That: THINGS,
  Something: THINGS,
  Told: THINGS,
  Asked: THINGS,
  Nobody: ABSENCE,
  Nothing: ABSENCE,
};

/** Words of these that a title may begin with: a title goes on the sentence of its `describe`. */
const FINE_IN_TITLES = ['They', 'It', 'Its', 'That', 'Something', 'Nothing', 'Anybody', 'Asked'];

/** Names that were given up, as patterns, and the name or the kind of name to use instead. */
const RETIRED: readonly (readonly [pattern: string, instead: string])[] = [
  ['toldOf|ToldOf\\w*', 'the noun for what is returned, such as loggedFieldsOf'],
  ['tellOf\\w*', 'a verb for the effect, such as registerExports'],
  ['keptBy', 'waitingReason'],
  ['whatKeeps\\w*', 'backfillWaitingReason'],
  ['sayTaken', 'throwNameTaken'],
  ['notingFailure', 'withFailureRecorded'],
  ['Asker', 'EvaluationContext'],
  ['UNTOLD_\\w*', 'HIDDEN_…_FIELDS'],
  ['blame|attributeFailure', 'throwSupersededOrLost'],
  ['heldOutAs\\w*', 'holdoutShare'],
  ['MOST_\\w*', 'MAX_…'],
  ['WORTH_\\w*', 'the noun for the limit'],
  ['checkedFilters|checkedPayloads|checkedNewFlag', 'a verb for the effect, such as validateFilters'],
  ['someWait|moreToWrite', 'a condition, such as hasWaitingBackfills'],
  ['reduced(?:Dashboard|Tile|Insight|Query)', 'publicDashboard'],
  ['isTwice', 'isDuplicate'],
  ['useFound', 'useSearchResults'],
];
const RETIRED_NAMES = RETIRED.map(([pattern]) => pattern).join('|');

/**
 * Words that say nothing alone as the name of a function: participles and prepositions, which leave open whether it does something, or
 * returns something.
 */
const BARE_WORD =
  /^(?:[a-z]+ed|said|told|kept|gone|given|taken|made|found|known|shown|seen|held|left|lost|sent|built|done|written|drawn|hidden|due|of|by|in|on|at|to|from|under|over|again|already|later|then|without|within|until|till|after|before|between|among|since|once|twice|only|both|up|down|never|not)$/;
/** Bare words that are names all the same, with the reason. */
const FINE_FUNCTIONS: Readonly<Record<string, string>> = {
  of: 'after the noun of its object: `diagnosis.of(run)`',
  at: 'after the noun of its object, with the position as its argument',
  up: 'the command `sluice up`, and the method of migrations that knex calls',
  down: 'the method of migrations that knex calls',
};

/**
 * Words that no description or summary in src/ begins with: clients read each text alone, without the field above it or the path beside it.
 * A summary is an imperative.
 */
const ELLIPTICAL =
  /\b(?:description|summary):\s*['"`](?:Of|That|What|Who|Whose|Whom|Whoever|Only|It|Its|They|Those|Told|Asked|Nobody|Nothing|Somebody|Everybody|Without|Like|How (?:long|many|much|often) it)\b[^'"`\n]*/gi;

type Finding = { line: number; text: string; instead: string };

const OPENING = new RegExp(`^(?:${Object.keys(OPENINGS).join('|')})\\b`);
const TITLES = Object.keys(OPENINGS).filter((word) => !FINE_IN_TITLES.includes(word));
const TITLE = new RegExp(`^(?:${TITLES.join('|')})\\b`, 'i');
const NAME = new RegExp(`^(?:${RETIRED_NAMES})$`);
/** Text without a match has nothing to find, and need not be parsed: that takes most of the time. */
const SUSPECT = new RegExp(
  [
    String.raw`(?://|/\*|^\s*\*)[\s*]*(?:${Object.keys(OPENINGS).join('|')})\b`,
    String.raw`\b(?:it|describe)[\w.]*\(\s*['"\`](?:${TITLES.map(eitherCase).join('|')})\b`,
    String.raw`\b(?:${RETIRED_NAMES})\b`,
  ].join('|'),
  'm',
);

function eitherCase(word: string): string {
  return `[${word[0]}${word[0]!.toLowerCase()}]${word.slice(1)}`;
}

/** @returns what is to be worded otherwise in a file of TypeScript, in no order; `line` counts from 1 */
function findingsIn(text: string, kind = ts.ScriptKind.TS): Finding[] {
  if (!SUSPECT.test(text)) return [];
  const tree = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true, kind);
  const found: Finding[] = [];
  const add = (at: number, shown: string, instead: string) =>
    found.push({ line: tree.getLineAndCharacterOfPosition(at).line + 1, text: shown, instead });
  const comments = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (node.kind >= ts.SyntaxKind.FirstJSDocNode && node.kind <= ts.SyntaxKind.LastJSDocNode) return;
    if (ts.isIdentifier(node) && NAME.test(node.text)) add(node.getStart(tree), node.text, nameInstead(node.text));
    if (ts.isCallExpression(node)) {
      const title = titleOf(node);
      const word = title && TITLE.exec(title.text)?.[0];
      if (title && word) add(title.getStart(tree), title.text, openingInstead(word));
    }
    const children = node.getChildren(tree);
    children.forEach(visit);
    if (children.length > 0) return;
    const ranges = [
      ...(ts.getLeadingCommentRanges(text, node.getFullStart()) ?? []),
      ...(ts.getTrailingCommentRanges(text, node.getEnd()) ?? []),
    ];
    for (const { pos, end } of ranges) {
      if (comments.has(pos)) continue;
      comments.add(pos);
      for (const { at, words } of linesOf(text.slice(pos, end))) {
        const word = OPENING.exec(words)?.[0];
        if (word) add(pos + at, words, openingInstead(word));
      }
    }
  };
  visit(tree);
  return found;
}

/** @returns the words of each line of a comment, and where the line begins in it */
function linesOf(comment: string): { at: number; words: string }[] {
  let at = 0;
  return comment.split('\n').map((line) => {
    const words = line.replace(/^\s*(?:\/\/+|\/\*+|\*+(?!\/))?\s*/, '').replace(/\s*\*\/$/, '');
    const one = { at, words };
    at += line.length + 1;
    return one;
  });
}

function titleOf({ expression, arguments: [first] }: ts.CallExpression): ts.LiteralLikeNode | undefined {
  const called = ts.isPropertyAccessExpression(expression) ? expression.expression : expression;
  if (!first || !ts.isIdentifier(called) || !['it', 'describe'].includes(called.text)) return undefined;
  if (ts.isTemplateExpression(first)) return first.head;
  return ts.isStringLiteralLike(first) ? first : undefined;
}

function openingInstead(word: string): string {
  return OPENINGS[word[0]!.toUpperCase() + word.slice(1).toLowerCase()]!;
}

function nameInstead(name: string): string {
  return RETIRED.find(([pattern]) => new RegExp(`^(?:${pattern})$`).test(name))![1];
}

function ellipticalIn(text: string): string[] {
  return text.match(ELLIPTICAL) ?? [];
}

/** @returns the functions and methods whose whole name is a bare word, by line */
function bareFunctionsIn(text: string): { line: number; name: string }[] {
  const tree = ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true);
  const bare: { line: number; name: string }[] = [];
  const visit = (node: ts.Node): void => {
    if (isNamedFunction(node) && BARE_WORD.test(node.name.text) && !Object.hasOwn(FINE_FUNCTIONS, node.name.text)) {
      bare.push({ line: tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1, name: node.name.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return bare;
}

function isNamedFunction(node: ts.Node): node is ts.Node & { name: ts.Identifier } {
  if (ts.isVariableDeclaration(node)) {
    const { initializer } = node;
    if (!initializer || !(ts.isArrowFunction(initializer) || ts.isFunctionExpression(initializer))) return false;
    return ts.isIdentifier(node.name);
  }
  if (!ts.isFunctionDeclaration(node) && !ts.isMethodDeclaration(node) && !ts.isMethodSignature(node)) return false;
  return node.name !== undefined && ts.isIdentifier(node.name);
}

const kindOf = (file: string) => (file.endsWith('.tsx') ? ts.ScriptKind.TSX : ts.ScriptKind.TS);

function sourceFiles(): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(path.join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() && /(?<!\.d)\.tsx?$/.test(entry.name) && !/node_modules|console\/dist/.test(entry.parentPath),
      )
      .map((entry) => path.relative(ROOT, path.join(entry.parentPath, entry.name))),
  ).sort();
}

describe('the vocabulary', () => {
  it('is kept by all comments, test titles and names', () => {
    const files = sourceFiles();
    assert.ok(files.length > 1000, `only ${files.length} files were found`);
    const complaints = files.flatMap((file) =>
      findingsIn(readFileSync(path.join(ROOT, file), 'utf8'), kindOf(file)).map(
        ({ line, text, instead }) => `${file}:${line}: “${text}” – use ${instead}`,
      ),
    );
    assert.equal(complaints.length, 0, `\n${complaints.join('\n')}`);
  });

  it('is kept by the names of all functions of the product', () => {
    const complaints = sourceFiles()
      .filter((file) => file.startsWith('src/'))
      .flatMap((file) =>
        bareFunctionsIn(readFileSync(path.join(ROOT, file), 'utf8')).map(
          ({ line, name }) => `${file}:${line}: ${name}`,
        ),
      );
    assert.equal(
      complaints.length,
      0,
      `Use a verb for an effect (writeAnswer) or a noun for a value (dueFiles):\n${complaints.join('\n')}`,
    );
  });

  it('finds functions whose name is a participle or a preposition alone', () => {
    const text = [
      'function written() {}',
      'const kept = () => {};',
      'const found = 1;',
      'const store = { async due() {}, dueFiles() {}, of() {} };',
      'type Session = { delivered(): void; findReceipt(): void };',
    ].join('\n');
    assert.deepEqual(
      bareFunctionsIn(text).map(({ line, name }) => [line, name]),
      [
        [1, 'written'],
        [2, 'kept'],
        [4, 'due'],
        [5, 'delivered'],
      ],
    );
  });

  it('is kept by all descriptions and summaries of the API', () => {
    const texts = sourceFiles()
      .filter((file) => file.startsWith('src/'))
      .map((file) => [file, readFileSync(path.join(ROOT, file), 'utf8')] as const);
    const described = texts.filter(([, text]) => /\bdescription:\s*['"`]/.test(text));
    assert.ok(described.length > 50, `only ${described.length} files have descriptions`);
    const complaints = texts.flatMap(([file, text]) => ellipticalIn(text).map((found) => `${file}: ${found}`));
    assert.equal(complaints.length, 0, `Say what the field is, or what the operation does:\n${complaints.join('\n')}`);
  });

  for (const text of [
    "description: 'Of a text.'",
    'summary:\n  `What ${a} does`',
    'description: "How long it takes."',
  ]) {
    it(`does not take ${text.replace(/\s+/, ' ')}`, () => {
      assert.equal(ellipticalIn(`const a = { ${text} };`).length, 1);
    });
  }
  for (const text of ["description: 'The ID of the run.'", "summary: 'List offers'", "detail: 'Of a text.'"]) {
    it(`takes ${text}`, () => {
      assert.deepEqual(ellipticalIn(`const a = { ${text} };`), []);
    });
  }

  const CASES: [name: string, text: string, lines: number[]][] = [
    ['a comment on its own line', 'a();\n// Who asks.\nb();', [2]],
    ['a comment after a statement', 'a(); // It waits.\n', [1]],
    ['a docstring', '/** What is there. */\nlet a;', [1]],
    ['a later line of a docstring', '/**\n * Runs.\n * Nobody waits.\n */\nlet a;', [3]],
    ['a comment at the end', 'a();\n// Those.', [2]],
    ['a title', "describe('runs', () => {\n  it('who asks', f);\n});", [2]],
    ['a title with a value', ['it', 'only(`what ${a} does`, f);'].join('.'), [1]],
    ['a name', 'const a = 1;\nfunction toldOf() {}', [2]],
    ['a property', 'a.whatKeepsRun();', [1]],
    ['no string', "const a = '// Who asks.';\nconst b = `\n * What is there.`;\nconst c = 'toldOf';", []],
    ['no word inside of a sentence', '// Runs say who asks.\n// who asks', []],
    ['no longer word', '// Items are there. Whosoever.\nconst toldOften = 1;', []],
    ['no title that goes on a sentence', "it('that waits is there', f);", []],
  ];
  for (const [name, text, lines] of CASES) {
    it(`finds ${name}`, () => {
      assert.deepEqual(
        findingsIn(text).map(({ line }) => line),
        lines,
      );
    });
  }
});
