/** Syntax tree of a query, unchecked, from the parser. */

/** Position in the query; line and column count from 1. */
export type QueryPosition = { line: number; column: number };

export type Statement = {
  items: readonly Item[];
  from: { name: string; alias: string | null; at: QueryPosition } | null;
  where: Expression | null;
};

/** An item between the commas of SELECT. */
export type Item =
  | { kind: 'everything'; at: QueryPosition }
  /** `source` is the expression's text in the query. */
  | { kind: 'expression'; value: Expression; source: string; alias: string | null; at: QueryPosition };

export type Expression = { at: QueryPosition } & (
  | { kind: 'text'; value: string }
  | { kind: 'number'; value: string }
  | { kind: 'bool'; value: boolean }
  | { kind: 'null' }
  | { kind: 'placeholder'; name: string }
  | { kind: 'interval'; amount: string; unit: string }
  | { kind: 'path'; steps: readonly Step[] }
  /** `plain` is false for calls with DISTINCT or `*`. */
  | { kind: 'call'; name: string; args: readonly Expression[]; hasPlainArgs: boolean }
  | { kind: 'cast'; value: Expression; type: string }
  | {
      kind: 'case';
      subject: Expression | null;
      branches: readonly { when: Expression; result: Expression }[];
      otherwise: Expression | null;
    }
  | { kind: 'logical'; operator: 'and' | 'or'; terms: readonly Expression[] }
  | { kind: 'not'; value: Expression }
  | { kind: 'negative'; value: Expression }
  | { kind: 'binary'; operator: BinaryOperator; left: Expression; right: Expression }
  | { kind: 'is null'; value: Expression; negated: boolean }
  | { kind: 'in'; value: Expression; list: readonly Expression[]; negated: boolean }
  | { kind: 'like'; value: Expression; pattern: Expression; ignoreCase: boolean; negated: boolean }
  | { kind: 'between'; value: Expression; low: Expression; high: Expression; negated: boolean }
);

/** A name, a key of an object, or an index of an array, from 1. */
export type Step = string | number;

export type BinaryOperator = '+' | '-' | '*' | '/' | '%' | '||' | '=' | '<>' | '<' | '<=' | '>' | '>=';
export type Kind = Expression['kind'];
