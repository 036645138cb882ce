/** The grammar of one expression. */
import { EmbeddedActionsParser, type IToken, type IOrAlt } from 'chevrotain';
import { invalidQuery, queryError } from './query-errors.ts';
import type { BinaryOperator, Expression, Step } from './syntax.ts';
import { nameOf, positionOf, T, TOKENS, unquote } from './tokens.ts';

type Branch = { when: Expression; result: Expression };
type BinaryRest = { operator: BinaryOperator; right: Expression };

/** Builds trees inside of ACTION only, because chevrotain runs every rule once without a query to learn the grammar. */
export class ExpressionParser extends EmbeddedActionsParser {
  /** Error message for a SELECT in place of a value. */
  protected subquery = 'Subqueries are not supported';

  constructor() {
    super(TOKENS, { maxLookahead: 2 });
  }

  expression = this.RULE('expression', (): Expression => {
    const terms = [this.SUBRULE(this.conjunction)];
    this.MANY(() => {
      this.CONSUME(T.Or);
      terms.push(this.SUBRULE1(this.conjunction));
    });
    return this.#logical('or', terms);
  });

  conjunction = this.RULE('conjunction', (): Expression => {
    const terms = [this.SUBRULE(this.negation)];
    this.MANY(() => {
      this.CONSUME(T.And);
      terms.push(this.SUBRULE1(this.negation));
    });
    return this.#logical('and', terms);
  });

  negation = this.RULE('negation', (): Expression => {
    const nots: IToken[] = [];
    this.MANY(() => nots.push(this.CONSUME(T.Not)));
    const value = this.SUBRULE(this.comparison);
    return this.ACTION(() =>
      nots.reduceRight<Expression>((inner, not) => ({ kind: 'not', value: inner, at: positionOf(not) }), value),
    );
  });

  comparison = this.RULE('comparison', (): Expression => {
    const left = this.SUBRULE(this.sum);
    const compared = this.OPTION(() =>
      this.OR<IOrAlt<Expression>[]>([
        {
          ALT: () => {
            const token = this.CONSUME(T.Compare);
            const right = this.SUBRULE1(this.sum);
            return this.#binary(left, { operator: this.ACTION(() => comparison(token)), right });
          },
        },
        { ALT: () => this.SUBRULE(this.isNull, { ARGS: [left] }) },
        { ALT: () => this.SUBRULE(this.predicate, { ARGS: [left] }) },
      ]),
    );
    return compared ?? left;
  });

  isNull = this.RULE('isNull', (value: Expression): Expression => {
    this.CONSUME(T.Is);
    const not = this.OPTION(() => this.CONSUME(T.Not));
    this.CONSUME(T.Null);
    return this.ACTION(() => ({ kind: 'is null', value, negated: not !== undefined, at: value.at }));
  });

  predicate = this.RULE('predicate', (value: Expression): Expression => {
    const negated = this.OPTION(() => this.CONSUME(T.Not)) !== undefined;
    return this.OR<IOrAlt<Expression>[]>([
      {
        ALT: () => {
          this.CONSUME(T.In);
          this.CONSUME(T.Open);
          const list: Expression[] = [];
          this.AT_LEAST_ONE_SEP({ SEP: T.Comma, DEF: () => list.push(this.SUBRULE(this.expression)) });
          this.CONSUME(T.Close);
          return this.ACTION((): Expression => ({ kind: 'in', value, list, negated, at: value.at }));
        },
      },
      {
        ALT: () => {
          const token = this.OR1([{ ALT: () => this.CONSUME(T.Like) }, { ALT: () => this.CONSUME(T.Ilike) }]);
          const pattern = this.SUBRULE(this.sum);
          return this.ACTION((): Expression => {
            return { kind: 'like', value, pattern, ignoreCase: token.tokenType === T.Ilike, negated, at: value.at };
          });
        },
      },
      {
        ALT: () => {
          this.CONSUME(T.Between);
          const low = this.SUBRULE1(this.sum);
          this.CONSUME(T.And);
          const high = this.SUBRULE2(this.sum);
          return this.ACTION((): Expression => ({ kind: 'between', value, low, high, negated, at: value.at }));
        },
      },
    ]);
  });

  sum = this.RULE('sum', (): Expression => {
    let value = this.SUBRULE(this.product);
    this.MANY(() => {
      const token = this.OR([
        { ALT: () => this.CONSUME(T.Plus) },
        { ALT: () => this.CONSUME(T.Minus) },
        { ALT: () => this.CONSUME(T.Concat) },
      ]);
      const right = this.SUBRULE1(this.product);
      value = this.#binary(value, { operator: token.image as BinaryOperator, right });
    });
    return value;
  });

  product = this.RULE('product', (): Expression => {
    let value = this.SUBRULE(this.signed);
    this.MANY(() => {
      const token = this.OR([{ ALT: () => this.CONSUME(T.Star) }, { ALT: () => this.CONSUME(T.Times) }]);
      const right = this.SUBRULE1(this.signed);
      value = this.#binary(value, { operator: token.image as BinaryOperator, right });
    });
    return value;
  });

  signed = this.RULE('signed', (): Expression => {
    const signs: IToken[] = [];
    this.MANY(() => signs.push(this.CONSUME(T.Minus)));
    const value = this.SUBRULE(this.converted);
    return this.ACTION(() =>
      signs.reduceRight<Expression>((inner, sign) => ({ kind: 'negative', value: inner, at: positionOf(sign) }), value),
    );
  });

  converted = this.RULE('converted', (): Expression => {
    let value = this.SUBRULE(this.primary);
    this.MANY(() => {
      this.CONSUME(T.Cast2);
      const inner = value;
      const type = this.readName(this.CONSUME(T.Word));
      value = this.ACTION(() => ({ kind: 'cast', value: inner, type, at: inner.at }));
    });
    return value;
  });

  primary = this.RULE('primary', (): Expression => {
    return this.OR<IOrAlt<Expression>[]>([
      { ALT: () => this.#leaf(this.CONSUME(T.Text), (token) => ({ kind: 'text', value: unquote(token) })) },
      { ALT: () => this.#leaf(this.CONSUME(T.NumberLiteral), ({ image }) => ({ kind: 'number', value: image })) },
      { ALT: () => this.#leaf(this.CONSUME(T.True), () => ({ kind: 'bool', value: true })) },
      { ALT: () => this.#leaf(this.CONSUME(T.False), () => ({ kind: 'bool', value: false })) },
      { ALT: () => this.#leaf(this.CONSUME(T.Null), () => ({ kind: 'null' })) },
      { ALT: () => this.SUBRULE(this.placeholder) },
      { ALT: () => this.SUBRULE(this.casting) },
      { ALT: () => this.SUBRULE(this.choice) },
      { ALT: () => this.SUBRULE(this.interval) },
      { ALT: () => this.SUBRULE(this.call) },
      { ALT: () => this.SUBRULE(this.path) },
      { ALT: () => this.refuse(this.CONSUME(T.Select), () => queryError(this.subquery)) },
      {
        ALT: () => {
          this.CONSUME(T.Open);
          const value = this.SUBRULE(this.expression);
          this.CONSUME(T.Close);
          return value;
        },
      },
    ]);
  });

  placeholder = this.RULE('placeholder', (): Expression => {
    const open = this.CONSUME(T.OpenBrace);
    const name = this.CONSUME(T.Identifier);
    this.CONSUME(T.CloseBrace);
    return this.#leaf(open, () => ({ kind: 'placeholder', name: name.image }));
  });

  interval = this.RULE('interval', (): Expression => {
    const start = this.CONSUME(T.Interval);
    const amount = this.CONSUME(T.NumberLiteral);
    const unit = this.CONSUME(T.Identifier);
    return this.#leaf(start, () => ({ kind: 'interval', amount: amount.image, unit: unit.image }));
  });

  casting = this.RULE('casting', (): Expression => {
    const start = this.CONSUME(T.Cast);
    this.CONSUME(T.Open);
    const value = this.SUBRULE(this.expression);
    this.CONSUME(T.As);
    const type = this.readName(this.CONSUME(T.Word));
    this.CONSUME(T.Close);
    return this.#leaf(start, () => ({ kind: 'cast', value, type }));
  });

  choice = this.RULE('choice', (): Expression => {
    const start = this.CONSUME(T.Case);
    const subject = this.OPTION(() => this.SUBRULE(this.expression)) ?? null;
    const branches: Branch[] = [];
    this.AT_LEAST_ONE(() => {
      this.CONSUME(T.When);
      const when = this.SUBRULE1(this.expression);
      this.CONSUME(T.Then);
      const result = this.SUBRULE2(this.expression);
      branches.push({ when, result });
    });
    const otherwise = this.OPTION1(() => {
      this.CONSUME(T.Else);
      return this.SUBRULE3(this.expression);
    });
    this.CONSUME(T.End);
    return this.#leaf(start, () => ({ kind: 'case', subject, branches, otherwise: otherwise ?? null }));
  });

  call = this.RULE('call', (): Expression => {
    const name = this.CONSUME(T.Identifier);
    this.CONSUME(T.Open);
    const args: Expression[] = [];
    const distinct = this.OPTION(() => this.CONSUME(T.Distinct)) !== undefined;
    const star = this.OPTION1(() => this.CONSUME(T.Star)) !== undefined;
    this.MANY_SEP({ SEP: T.Comma, DEF: () => args.push(this.SUBRULE(this.expression)) });
    this.CONSUME(T.Close);
    this.OPTION2(() =>
      this.refuse(this.CONSUME(T.Over), (token) =>
        invalidQuery('window functions are not supported', positionOf(token)),
      ),
    );
    return this.#leaf(name, () => ({ kind: 'call', name: name.image, args, hasPlainArgs: !distinct && !star }));
  });

  path = this.RULE('path', (): Expression => {
    const first = this.OR([{ ALT: () => this.CONSUME(T.Identifier) }, { ALT: () => this.CONSUME(T.QuotedIdentifier) }]);
    const steps: Step[] = [this.readName(first)];
    this.MANY(() => {
      this.OR1([
        {
          ALT: () => {
            this.CONSUME(T.Dot);
            steps.push(this.readName(this.CONSUME(T.Word)));
          },
        },
        {
          ALT: () => {
            this.CONSUME(T.OpenSquare);
            steps.push(this.SUBRULE(this.key));
            this.CONSUME(T.CloseSquare);
          },
        },
      ]);
    });
    return this.#leaf(first, () => ({ kind: 'path', steps }));
  });

  key = this.RULE('key', (): Step => {
    return this.OR<IOrAlt<Step>[]>([
      {
        ALT: () => {
          const token = this.CONSUME(T.Text);
          return this.ACTION(() => unquote(token));
        },
      },
      {
        ALT: () => {
          const token = this.CONSUME(T.NumberLiteral);
          return this.ACTION(() => arrayIndex(token));
        },
      },
    ]);
  });

  /** Throws the refusal of the construct that the token begins. Returns only while chevrotain learns the grammar, which runs no ACTION. */
  protected refuse(token: IToken, refusal: (token: IToken) => Error): never {
    return this.ACTION(() => {
      throw refusal(token);
    });
  }

  protected readName(token: IToken): string {
    return this.ACTION(() => nameOf(token));
  }

  #leaf(start: IToken, make: (token: IToken) => WithoutPosition<Expression>): Expression {
    return this.ACTION(() => ({ ...make(start), at: positionOf(start) }) as Expression);
  }

  #logical(operator: 'and' | 'or', terms: readonly Expression[]): Expression {
    return this.ACTION(() => {
      const first = terms[0]!;
      return terms.length === 1 ? first : { kind: 'logical', operator, terms, at: first.at };
    });
  }

  #binary(left: Expression, { operator, right }: BinaryRest): Expression {
    return this.ACTION(() => ({ kind: 'binary', operator, left, right, at: left.at }));
  }
}

type WithoutPosition<E> = E extends Expression ? Omit<E, 'at'> : never;

const SPELLINGS: Readonly<Record<string, BinaryOperator>> = { '==': '=', '!=': '<>' };

function comparison({ image }: IToken): BinaryOperator {
  return SPELLINGS[image] ?? (image as BinaryOperator);
}

/** @throws InvalidInput for a number that is not an index of an array, from 1 */
function arrayIndex(token: IToken): number {
  const index = Number(token.image);
  if (Number.isInteger(index) && index >= 1 && index <= 1_000_000) return index;
  throw invalidQuery('array indexes are whole numbers, from 1 on', positionOf(token));
}
