/** Functions on text. Results that may outgrow their operands have at most MAX_TEXT characters; longer ones are NULL. */
import { simpleFunction, literalText, type SqlFunction } from './function-shape.ts';
import { convertImplicitly } from './conversions.ts';
import { invalidQuery } from './query-errors.ts';
import type { QueryPosition } from './syntax.ts';
import { literal, nameOperands, value, type Value } from './values.ts';

/** Limit of a concatenated or replaced text, in characters; a row of 200 such columns stays below Postgres's 1 GiB. */
const MAX_TEXT = 1_000_000;
const MAX_PATTERN = 1000;

const DOMAIN = '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?([^/?#:]+)';
const PATH = '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*(/[^?#]*)';

export const TEXT_FUNCTIONS: readonly SqlFunction[] = [
  simpleFunction('lower', ['text'], 'text', (text) => `lower(${text})`),
  simpleFunction('upper', ['text'], 'text', (text) => `upper(${text})`),
  simpleFunction('trim', ['text'], 'text', (text) => `btrim(${text}, E' \\t\\r\\n')`),
  simpleFunction('trimLeft', ['text'], 'text', (text) => `ltrim(${text}, E' \\t\\r\\n')`),
  simpleFunction('trimRight', ['text'], 'text', (text) => `rtrim(${text}, E' \\t\\r\\n')`),
  simpleFunction('length', ['text'], 'int8', (text) => `char_length(${text})::int8`),
  simpleFunction('empty', ['text'], 'bool', (text) => `coalesce(${text}, '') = ''`),
  simpleFunction('notEmpty', ['text'], 'bool', (text) => `coalesce(${text}, '') <> ''`),
  simpleFunction('position', ['text', 'text'], 'int8', (text, part) => `strpos(${text}, ${part})::int8`),
  simpleFunction('startsWith', ['text', 'text'], 'bool', (text, start) => `starts_with(${text}, ${start})`),
  {
    names: ['endsWith'],
    parameterTypes: ['text', 'text'],
    make: (args, position) => {
      return value(
        'bool',
        nameOperands(args, (text, end) => `right(${text}, char_length(${end})) = ${end}`),
        position,
      );
    },
  },
  {
    names: ['substring', 'substr'],
    parameterTypes: ['text', 'int8', 'int8'],
    optional: 1,
    make: ([text, start, length], position) => {
      const sql = length
        ? nameOperands([start!, length], (from, count) => {
            const bothGiven = `${from} is not null and ${count} is not null`;
            return `case when ${bothGiven} then substring(${text!.sql}, ${clampSql(from!, 1)}, ${clampSql(count!, 0)}) end`;
          })
        : nameOperands([start!], (from) => {
            return `case when ${from} is not null then substring(${text!.sql}, ${clampSql(from!, 1)}) end`;
          });
      return value('text', sql, position);
    },
  },
  ...(['left', 'right'] as const).map((name): SqlFunction => {
    return {
      names: [name],
      parameterTypes: ['text', 'int8'],
      make: ([text, length], position) => {
        const sql = nameOperands([length!], (count) => {
          return `case when ${count} is not null then ${name}(${text!.sql}, ${clampSql(count!, 0)}) end`;
        });
        return value('text', sql, position);
      },
    };
  }),
  {
    names: ['replaceAll', 'replace'],
    parameterTypes: ['text', 'text', 'text'],
    make: ([text, from, to], position) => {
      const [searched, replacement] = [literalText(from!, 'what is replaced'), literalText(to!, 'the replacement')];
      if (searched === '') throw invalidQuery('what is replaced must not be empty', position);
      const growth = Math.max(1, Math.ceil(characters(replacement) / characters(searched)));
      const sql = nameOperands([text!], (given) => {
        const longest = Math.floor(MAX_TEXT / growth);
        const replaced = `replace(${given}, ${literal(searched)}, ${literal(replacement)})`;
        return `case when char_length(${given}) <= ${longest} then ${replaced} end`;
      });
      return value('text', sql, position);
    },
  },
  { names: ['concat'], parameterTypes: ['text'], repeats: true, make: concatenate },
  simpleFunction('domain', ['text'], 'text', (url) => `substring(${url} from ${literal(DOMAIN)})`),
  simpleFunction('path', ['text'], 'text', (url) => `substring(${url} from ${literal(PATH)})`),
  simpleFunction('MD5', ['text'], 'text', (text) => `md5(${text})`),
  simpleFunction('SHA256', ['text'], 'text', (text) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`),
];

/** Concatenates texts; NULL counts as empty, as in HogQL. */
export function concatenate(values: readonly Value[], position: QueryPosition): Value {
  const texts = values.map((operand) => convertImplicitly(operand, 'text', 'what is joined'));
  const sql = nameOperands(texts, (...operands) => {
    const length = operands.map((operand) => `coalesce(char_length(${operand}), 0)`).join(' + ');
    return `case when ${length} <= ${MAX_TEXT} then concat(${operands.join(', ')}) end`;
  });
  return value('text', sql, position);
}

/** @returns the pattern of LIKE. @throws InvalidInput for a pattern that Postgres would refuse, or that is not a literal */
export function likePattern(operand: Value): string {
  const pattern = literalText(operand, 'the pattern of LIKE');
  if (pattern.length > MAX_PATTERN) {
    throw invalidQuery(`the pattern of LIKE is longer than ${MAX_PATTERN} characters`, operand.at);
  }
  const endsEscaping = /(?:^|[^\\])(?:\\\\)*\\$/.test(pattern);
  if (endsEscaping) throw invalidQuery('the pattern of LIKE ends with a backslash that escapes nothing', operand.at);
  return pattern;
}

/** @param sql an operand of type int8 that is not NULL */
function clampSql(sql: string, smallest: number): string {
  return `least(greatest(${sql}, ${smallest}), ${2 ** 30})::int4`;
}

/** Counts characters like Postgres. */
function characters(text: string): number {
  return Array.from(text).length;
}
