/**
 * Formulas of series: `A / B * 100`. As upstream's (posthog/hogql_queries/utils/formula_ast.py) they are Python's arithmetic: numbers, the
 * series as letters, `+ - * / % **` and parentheses. What is divided by zero is zero.
 */
import { refusal } from './refusal.ts';

const SUMS = ['+', '-'] as const;
const PRODUCTS = ['*', '/', '%'] as const;
type Operator = (typeof SUMS)[number] | (typeof PRODUCTS)[number] | '**';

/** @param values of each series @returns what may be no finite number */
export type Computed = (values: readonly number[]) => number;

const TOKEN = /\s*(?:(?<number>(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|(?<name>[a-z_]\w*)|(?<sign>\*\*|[-+*/%()]))/iy;
type Token = { number?: string; name?: string; sign?: string };

/**
 * Made into functions: it is computed for each of many values, while others wait.
 * @param count how many series there are
 * @param member names it in errors
 * @throws InvalidInput saying where it is no formula, or which series there is not
 */
export function parsedFormula(text: string, count: number, member: string): Computed {
  const tokens = tokensOf(text, member);
  let next = 0;

  function taken(signs: readonly string[]): string | undefined {
    const sign = tokens[next]?.sign;
    if (sign === undefined || !signs.includes(sign)) return undefined;
    next++;
    return sign;
  }
  function chain(part: () => Computed, operators: readonly Operator[]): Computed {
    let left = part();
    for (let sign = taken(operators); sign !== undefined; sign = taken(operators)) {
      left = OPERATIONS[sign as Operator](left, part());
    }
    return left;
  }
  const sum = (): Computed => chain(product, SUMS);
  const product = (): Computed => chain(signed, PRODUCTS);
  function signed(): Computed {
    const sign = taken(SUMS);
    if (sign === undefined) return power();
    const part = signed();
    return sign === '-' ? (values) => -part(values) : part;
  }
  /** A power binds its base more tightly than a sign does, and goes from right to left. */
  function power(): Computed {
    const left = atom();
    return taken(['**']) === undefined ? left : OPERATIONS['**'](left, signed());
  }
  function atom(): Computed {
    if (taken(['(']) !== undefined) {
      const inner = sum();
      if (taken([')']) === undefined) throw unexpected();
      return inner;
    }
    const { number, name } = tokens[next] ?? {};
    if (number === undefined && name === undefined) throw unexpected();
    next++;
    if (name !== undefined) return valueOf(seriesOf(name, { count, member, isCalled: tokens[next]?.sign === '(' }));
    const value = Number(number);
    return () => value;
  }
  function unexpected() {
    const { number, name, sign } = tokens[next] ?? {};
    const found = number ?? name ?? sign;
    const where = found === undefined ? 'It ends too early' : `"${found}" is not expected there`;
    return refusal(member, `${where}. ${GRAMMAR}`);
  }

  const whole = sum();
  if (next < tokens.length) throw unexpected();
  return whole;
}

const GRAMMAR = 'A formula is made of series (A, B, ...), numbers, + - * / % ** and parentheses.';

function tokensOf(text: string, member: string): Token[] {
  const tokens: Token[] = [];
  const end = text.trimEnd().length;
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw refusal(member, `"${text.slice(at).trim().slice(0, 20)}" is not understood. ${GRAMMAR}`);
    tokens.push(found.groups!);
  }
  return tokens;
}

function seriesOf(
  name: string,
  { count, member, isCalled }: { count: number; member: string; isCalled: boolean },
): number {
  const index = name.toLowerCase().charCodeAt(0) - 'a'.charCodeAt(0);
  if (name.length === 1 && index >= 0 && index < count) return index;
  if (isCalled) throw refusal(member, `There are no functions, so no "${name}". ${GRAMMAR}`);
  const letters = Array.from({ length: count }, (_, n) => String.fromCharCode('A'.charCodeAt(0) + n));
  throw refusal(member, `There is no series "${name}". There are: ${letters.join(', ')}.`);
}

function valueOf(series: number): Computed {
  return (values) => values[series]!;
}

/** Each a function of its own, which the engine compiles for what it does. */
const OPERATIONS: Record<Operator, (left: Computed, right: Computed) => Computed> = {
  '+': (left, right) => (values) => left(values) + right(values),
  '-': (left, right) => (values) => left(values) - right(values),
  '*': (left, right) => (values) => left(values) * right(values),
  '/': (left, right) => (values) => divided(left(values), right(values)),
  '%': (left, right) => (values) => remainder(left(values), right(values)),
  '**': (left, right) => (values) => raised(left(values), right(values)),
};

function divided(left: number, right: number): number {
  return right === 0 ? 0 : left / right;
}

/** Python's has the sign of its right side. */
function remainder(left: number, right: number): number {
  return right === 0 ? 0 : left - right * Math.floor(left / right);
}

function raised(left: number, right: number): number {
  return left === 0 && right < 0 ? 0 : left ** right;
}
