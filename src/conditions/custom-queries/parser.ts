/**
 * The grammar of custom queries: HogQL's syntax, limited to one SELECT. Forbidden constructs are recognized where they begin, so a
 * subquery is reported as such, not as an unexpected bracket.
 *
 * Takes linear time, and recurses only as deep as brackets are nested, which the lexer limits.
 */
import { EOF, type IToken, type IOrAlt } from 'chevrotain';
import { ExpressionParser } from './expression-parser.ts';
import { invalidQuery, excerpt, queryError, unparsableQuery } from './query-errors.ts';
import type { Expression, Item, Statement } from './syntax.ts';
import { nameOf, positionOf, T, tokensOf } from './tokens.ts';

/** Words before JOIN that are also names, so the parser may already have read the first of them as an alias. */
const JOIN_MODIFIER = /^(?:left|right|full|inner|outer|cross|natural|semi|anti|any|all|asof|global|array)$/i;

class QueryParser extends ExpressionParser {
  /** Text that the tokens were read from. */
  text = '';

  constructor() {
    super();
    this.performSelfAnalysis();
  }

  statement = this.RULE('statement', (): Statement => {
    this.OPTION(() => this.refuse(this.CONSUME(T.With), () => queryError('CTEs are not supported')));
    this.CONSUME(T.Select);
    this.OPTION1(() =>
      this.refuse(this.CONSUME(T.Distinct), (token) => invalidQuery('DISTINCT is not supported', positionOf(token))),
    );
    const items: Item[] = [];
    this.ACTION(() => (this.subquery = 'Subqueries in SELECT expressions are not supported'));
    this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => items.push(this.SUBRULE(this.item)) });
    this.ACTION(() => (this.subquery = 'Subqueries are not supported'));
    const from = this.OPTION2(() => this.SUBRULE(this.from)) ?? null;
    const where = this.OPTION3(() => {
      this.CONSUME(T.Where);
      return this.SUBRULE(this.expression);
    });
    this.SUBRULE(this.endOfQuery);
    return { items, from, where: where ?? null };
  });

  /** One expression and nothing else: a filter. */
  onlyExpression = this.RULE('only', (): Expression => {
    this.ACTION(() => (this.subquery = 'Subqueries are not supported'));
    const value = this.SUBRULE(this.expression);
    this.SUBRULE(this.endOfQuery);
    return value;
  });

  endOfQuery = this.RULE('ending', () => {
    this.OPTION(() => this.refuse(this.CONSUME(T.Clause), clauseError));
    this.CONSUME(EOF);
  });

  item = this.RULE('item', (): Item => {
    return this.OR<IOrAlt<Item>[]>([
      {
        ALT: () => {
          const star = this.CONSUME(T.Star);
          return this.ACTION((): Item => ({ kind: 'everything', at: positionOf(star) }));
        },
      },
      {
        ALT: () => {
          const start = this.LA(1).startOffset;
          const value = this.SUBRULE(this.expression);
          const source = this.text.slice(start, (this.LA(0).endOffset ?? start) + 1);
          const alias = this.OPTION(() => this.SUBRULE(this.alias)) ?? null;
          return this.ACTION((): Item => ({ kind: 'expression', value, source, alias, at: value.at }));
        },
      },
    ]);
  });

  alias = this.RULE('alias', (): string => {
    return this.OR([
      {
        ALT: () => {
          this.CONSUME(T.As);
          return this.readName(this.CONSUME(T.Word));
        },
      },
      { ALT: () => this.readName(this.CONSUME(T.Identifier)) },
      { ALT: () => this.readName(this.CONSUME(T.QuotedIdentifier)) },
    ]);
  });

  from = this.RULE('from', (): NonNullable<Statement['from']> => {
    this.CONSUME(T.From);
    this.OPTION(() => {
      this.refuse(this.CONSUME(T.Open), () => queryError('Subqueries are not supported'));
    });
    const first = this.CONSUME(T.Word);
    let name = this.readName(first);
    this.MANY(() => {
      this.CONSUME(T.Dot);
      const next = this.CONSUME1(T.Word);
      this.ACTION(() => (name += `.${nameOf(next)}`));
    });
    this.OPTION1(() =>
      this.refuse(this.CONSUME1(T.Open), (token) =>
        invalidQuery('table functions are not supported', positionOf(token)),
      ),
    );
    const alias = this.OPTION2(() => this.SUBRULE(this.alias)) ?? null;
    this.OPTION3(() => {
      this.MANY1({
        GATE: () => JOIN_MODIFIER.test(this.LA(1).image),
        DEF: () => this.CONSUME(T.Identifier),
      });
      this.refuse(this.CONSUME(T.Join), () => queryError('JOINs are not supported'));
    });
    this.OPTION4(() => this.refuse(this.CONSUME(T.Comma), () => queryError('JOINs are not supported')));
    return this.ACTION(() => ({ name, alias, at: positionOf(first) }));
  });
}

const parser = new QueryParser();

/** @throws InvalidInput for text that is not one SELECT of this grammar */
export function parseStatement(query: string): Statement {
  return parseText(query, () => parser.statement());
}

/** @throws InvalidInput for text that is not one expression */
export function parseExpression(text: string): Expression {
  return parseText(text, () => parser.onlyExpression());
}

function parseText<Tree>(text: string, rule: () => Tree): Tree {
  const tokens = tokensOf(text);
  parser.input = tokens;
  parser.text = text;
  const tree = rule();
  const token = parser.errors[0]?.token;
  if (!token) return tree;
  if (token.tokenType !== EOF) throw unparsableQuery(`unexpected ${excerpt(token.image)}`, positionOf(token));
  const last = tokens.at(-1);
  throw last ? unparsableQuery('it ends too early', positionOf(last)) : queryError('Failed to parse query');
}

function clauseError(token: IToken): Error {
  const name = token.image.toUpperCase();
  if (SET_OPERATIONS.has(name)) return queryError('UNIONs are not supported');
  const clause = BY.has(name) ? `${name} BY` : name;
  return invalidQuery(`${clause} is not supported`, positionOf(token));
}

const SET_OPERATIONS = new Set(['UNION', 'INTERSECT', 'EXCEPT']);
const BY = new Set(['GROUP', 'ORDER']);
