/** The lexer of custom queries. */
import { createToken, Lexer, type IToken, type TokenType } from 'chevrotain';
import { invalidQuery, excerpt, queryError, unparsableQuery } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';

const MAX_QUERY = 20_000;
/** Deepest nesting of brackets and CASE, the only constructs for which the parser recurses. */
const MAX_NESTING = 50;

/** A token that may be a name: an identifier, or a keyword after a dot or AS. */
const Word = createToken({ name: 'Word', pattern: Lexer.NA });
/** A keyword of a clause that custom queries must not have. */
const Clause = createToken({ name: 'Clause', pattern: Lexer.NA });

const Identifier = createToken({ name: 'Identifier', pattern: /[A-Za-z_$][\w$]*/, categories: Word, label: 'a name' });
const QuotedIdentifier = createToken({
  name: 'QuotedIdentifier',
  pattern: /`(?:[^`\\]|\\[^]|``)+`|"(?:[^"\\]|\\[^]|"")+"/,
  categories: Word,
  line_breaks: true,
  label: 'a name',
});
const Text = createToken({ name: 'Text', pattern: /'(?:[^'\\]|\\[^]|'')*'/, line_breaks: true, label: 'a text' });
/** A number not followed by a letter, because `1abc` is an error, not `1 AS abc`. */
const NumberLiteral = createToken({
  name: 'NumberLiteral',
  pattern: /(?:\d+(?:\.\d*)?)(?:[eE][+-]?\d+)?(?![\w$])/,
  label: 'a number',
});

function keyword(word: string, ...categories: TokenType[]): TokenType {
  const pattern = new RegExp(word, 'i');
  return createToken({ name: word.toUpperCase(), pattern, longer_alt: Identifier, categories: [Word, ...categories] });
}
function symbol(name: string, pattern: string | RegExp): TokenType {
  return createToken({ name, pattern, label: typeof pattern === 'string' ? pattern : name });
}

const words = {
  Select: keyword('select'),
  From: keyword('from'),
  Where: keyword('where'),
  As: keyword('as'),
  And: keyword('and'),
  Or: keyword('or'),
  Not: keyword('not'),
  In: keyword('in'),
  Like: keyword('like'),
  Ilike: keyword('ilike'),
  Between: keyword('between'),
  Is: keyword('is'),
  Null: keyword('null'),
  True: keyword('true'),
  False: keyword('false'),
  Case: keyword('case'),
  When: keyword('when'),
  Then: keyword('then'),
  Else: keyword('else'),
  End: keyword('end'),
  Cast: keyword('cast'),
  Distinct: keyword('distinct'),
  With: keyword('with'),
  Over: keyword('over'),
  Join: keyword('join'),
  Interval: keyword('interval'),
};

const CLAUSES = (
  'union intersect except prewhere group having qualify window order limit offset fetch sample final settings ' +
  'format into for'
)
  .split(' ')
  .map((word) => keyword(word, Clause));

const symbols = {
  Comma: symbol('Comma', ','),
  Dot: symbol('Dot', '.'),
  Open: symbol('Open', '('),
  Close: symbol('Close', ')'),
  OpenSquare: symbol('OpenSquare', '['),
  CloseSquare: symbol('CloseSquare', ']'),
  OpenBrace: symbol('OpenBrace', '{'),
  CloseBrace: symbol('CloseBrace', '}'),
  Cast2: symbol('Cast2', '::'),
  Compare: symbol('a comparison', /==|=|!=|<>|<=|>=|<|>/),
  Concat: symbol('Concat', '||'),
  Plus: symbol('Plus', '+'),
  Minus: symbol('Minus', '-'),
  Star: symbol('Star', '*'),
  Times: symbol('an operator', /[/%]/),
};

const Space = createToken({ name: 'Space', pattern: /[ \t\r\n]+/, group: Lexer.SKIPPED, line_breaks: true });
const Comment = createToken({ name: 'Comment', pattern: /--|\/\*|#/, label: 'a comment' });
const Semicolon = symbol('Semicolon', ';');

export const T = { ...words, ...symbols, Word, Clause, Identifier, QuotedIdentifier, Text, NumberLiteral };

/** Tokens in the order in which the lexer tries them. */
export const TOKENS: TokenType[] = [
  Space,
  Comment,
  Semicolon,
  // Longer words first, because the lexer finds `or` in `order` too.
  ...[...Object.values(words), ...CLAUSES].sort((a, b) => b.name.length - a.name.length),
  Identifier,
  QuotedIdentifier,
  Text,
  NumberLiteral,
  ...Object.values(symbols),
  Word,
  Clause,
];

const lexer = new Lexer(TOKENS, { ensureOptimizations: true });

/** @throws InvalidInput for a query that is too long, too deeply nested, or not made of tokens */
export function tokensOf(query: string): IToken[] {
  if (query.length > MAX_QUERY) throw queryError(`The query is longer than ${MAX_QUERY} characters.`);
  const { tokens, errors } = lexer.tokenize(query);
  const error = errors[0];
  if (error) throw unparsableQuery(`unexpected ${excerpt(query.charAt(error.offset))}`, toPosition(error));
  for (const token of tokens) {
    if (token.tokenType === Comment) throw invalidQuery('comments are not supported', positionOf(token));
    if (token.tokenType === Semicolon)
      throw invalidQuery('only one statement is supported, without ";"', positionOf(token));
  }
  checkDepth(tokens);
  return tokens;
}

const OPENING = new Set<TokenType>([T.Open, T.OpenSquare, T.OpenBrace, T.Case]);
const CLOSING = new Set<TokenType>([T.Close, T.CloseSquare, T.CloseBrace, T.End]);
/** Tokens after which any word is a name. */
const BEFORE_NAMES = new Set<TokenType | undefined>([T.Dot, T.As]);

/** Checks the depth before parsing, because the parser recurses. */
function checkDepth(tokens: readonly IToken[]): void {
  let depth = 0;
  for (const [i, token] of tokens.entries()) {
    // The `end` in `properties.end` closes no CASE.
    if (BEFORE_NAMES.has(tokens[i - 1]?.tokenType)) continue;
    if (OPENING.has(token.tokenType)) depth++;
    if (CLOSING.has(token.tokenType)) depth = Math.max(0, depth - 1);
    if (depth > MAX_NESTING) throw invalidQuery(`brackets are nested more than ${MAX_NESTING} deep`, positionOf(token));
  }
}

export function positionOf(token: IToken): QueryPosition {
  return toPosition({ line: token.startLine, column: token.startColumn });
}

/** @returns line 1, column 1 for a position beyond the end, which has no numbers */
function toPosition({ line, column }: { line: number | undefined; column: number | undefined }): QueryPosition {
  return { line: line || 1, column: column || 1 };
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', 0: '\0' };

/** Text of a quoted token, with doubled quotes, and escapes as in ClickHouse. @throws InvalidInput for text that Postgres cannot store */
export function unquote(token: IToken): string {
  const quote = token.image.charAt(0);
  const text = token.image
    .slice(1, -1)
    .replaceAll(/\\([^])|(['"`])\2/gu, (pair, escaped: string | undefined, doubled: string | undefined) => {
      if (escaped !== undefined) return ESCAPES[escaped] ?? (escaped === quote || escaped === '\\' ? escaped : pair);
      return doubled === quote ? quote : pair;
    });
  if (text.includes('\0') || !text.isWellFormed()) {
    throw invalidQuery('texts cannot hold U+0000 or half a surrogate pair', positionOf(token));
  }
  return text;
}

/** The name that a word stands for. */
export function nameOf(token: IToken): string {
  return token.tokenType === QuotedIdentifier ? unquote(token) : token.image;
}
