/**
 * Formulas of series: `A / B * 100`. As upstream's (posthog/hogql_queries/utils/formula_ast.py) they are Python's arithmetic: numbers, the
 * series as letters, `+ - * / % **` and parentheses. Division by zero gives zero.
 */
import { createToken, EmbeddedActionsParser, EOF, Lexer, type IToken } from 'chevrotain';
import { refusal } from './refusal.ts';

/** @param values of each series @returns a number that may not be finite */
export type FormulaFunction = (values: readonly number[]) => number;

/** The number of series, and the formula's name in errors. */
type FormulaContext = { count: number; path: string };

const GRAMMAR = 'A formula is made of series (A, B, ...), numbers, + - * / % ** and parentheses.';

const Space = createToken({ name: 'Space', pattern: /\s+/, group: Lexer.SKIPPED, line_breaks: true });
const NumberLiteral = createToken({ name: 'Number', pattern: /(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i });
const Name = createToken({ name: 'Name', pattern: /[a-z_]\w*/i });
const Power = createToken({ name: 'Power', pattern: /\*\*/ });
const Sum = createToken({ name: 'Sum', pattern: /[-+]/ });
const Product = createToken({ name: 'Product', pattern: /[*/%]/ });
const Open = createToken({ name: 'Open', pattern: /\(/ });
const Close = createToken({ name: 'Close', pattern: /\)/ });
/** Power comes before Product, because the first token that matches wins. */
const TOKENS = [Space, NumberLiteral, Name, Power, Sum, Product, Open, Close];

const lexer = new Lexer(TOKENS);

/** Compiles formulas to functions, because they run for many values while other requests wait. */
class FormulaParser extends EmbeddedActionsParser {
  context: FormulaContext = { count: 0, path: '' };

  constructor() {
    super(TOKENS, { maxLookahead: 1 });
    this.performSelfAnalysis();
  }

  formula = this.RULE('formula', (): FormulaFunction => {
    const formula = this.SUBRULE(this.sum);
    this.CONSUME(EOF);
    return formula;
  });

  sum = this.RULE('sum', (): FormulaFunction => {
    let left = this.SUBRULE(this.product);
    this.MANY(() => {
      const { image } = this.CONSUME(Sum);
      left = this.#operation(image, left, this.SUBRULE1(this.product));
    });
    return left;
  });

  product = this.RULE('product', (): FormulaFunction => {
    let left = this.SUBRULE(this.signed);
    this.MANY(() => {
      const { image } = this.CONSUME(Product);
      left = this.#operation(image, left, this.SUBRULE1(this.signed));
    });
    return left;
  });

  signed = this.RULE('signed', (): FormulaFunction => {
    const signs: IToken[] = [];
    this.MANY(() => signs.push(this.CONSUME(Sum)));
    const part = this.SUBRULE(this.power);
    return signs.filter(({ image }) => image === '-').length % 2 === 0 ? part : (values) => -part(values);
  });

  /** A power binds its base more tightly than a sign does, and goes from right to left. */
  power = this.RULE('power', (): FormulaFunction => {
    const left = this.SUBRULE(this.atom);
    const right = this.OPTION(() => {
      this.CONSUME(Power);
      return this.SUBRULE(this.signed);
    });
    return right ? this.#operation('**', left, right) : left;
  });

  atom = this.RULE('atom', (): FormulaFunction => {
    return this.OR([
      {
        ALT: () => {
          this.CONSUME(Open);
          const inner = this.SUBRULE(this.sum);
          this.CONSUME(Close);
          return inner;
        },
      },
      {
        ALT: () => {
          const value = Number(this.CONSUME(NumberLiteral).image);
          return () => value;
        },
      },
      {
        ALT: () => {
          const { image } = this.CONSUME(Name);
          const series = this.ACTION(() => seriesOf(image, this.context, this.LA(1).tokenType === Open));
          return (values: readonly number[]) => values[series]!;
        },
      },
    ]);
  });

  #operation(sign: string, left: FormulaFunction, right: FormulaFunction): FormulaFunction {
    return this.ACTION(() => OPERATIONS[sign]!(left, right));
  }
}

const parser = new FormulaParser();

/**
 * @param count how many series there are
 * @param path path of the formula, for errors
 * @throws InvalidInput saying where the formula is wrong, or which series is missing
 */
export function parseFormula(text: string, count: number, path: string): FormulaFunction {
  const { tokens, errors } = lexer.tokenize(text);
  const [unknown] = errors;
  if (unknown) throw refusal(path, `"${text.slice(unknown.offset).trim().slice(0, 20)}" is not understood. ${GRAMMAR}`);
  parser.input = tokens;
  parser.context = { count, path };
  const formula = parser.formula();
  const token = parser.errors[0]?.token;
  if (!token) return formula;
  const problem = token.tokenType === EOF ? 'It ends too early' : `"${token.image}" is not expected there`;
  throw refusal(path, `${problem}. ${GRAMMAR}`);
}

function seriesOf(name: string, { count, path }: FormulaContext, isCalled: boolean): number {
  const index = name.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0);
  if (name.length === 1 && index >= 0 && index < count) return index;
  if (isCalled) throw refusal(path, `There are no functions, so no "${name}". ${GRAMMAR}`);
  const letters = Array.from({ length: count }, (_, n) => String.fromCharCode('A'.charCodeAt(0) + n));
  throw refusal(path, `There is no series "${name}". There are: ${letters.join(', ')}.`);
}

/** One function for each operation, so the engine optimizes each separately. */
const OPERATIONS: Readonly<Record<string, (left: FormulaFunction, right: FormulaFunction) => FormulaFunction>> = {
  '+': (left, right) => (values) => left(values) + right(values),
  '-': (left, right) => (values) => left(values) - right(values),
  '*': (left, right) => (values) => left(values) * right(values),
  '/': (left, right) => (values) => divide(left(values), right(values)),
  '%': (left, right) => (values) => remainder(left(values), right(values)),
  '**': (left, right) => (values) => raise(left(values), right(values)),
};

function divide(left: number, right: number): number {
  return right === 0 ? 0 : left / right;
}

/** As in Python, the result has the sign of the right side. */
function remainder(left: number, right: number): number {
  return right === 0 ? 0 : left - right * Math.floor(left / right);
}

function raise(left: number, right: number): number {
  return left === 0 && right < 0 ? 0 : left ** right;
}
