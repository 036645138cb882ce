/** Functions on text, whose results are never longer than LONGEST_TEXT. */
import { direct, literalText, type SqlFunction } from './function-shape.ts';
import { expect } from './conversions.ts';
import { invalid } from './refusal.ts';
import type { Place } from './syntax.ts';
import { literal, mentioning, value, type Value } from './values.ts';

/** Limit of a concatenated text, in characters; a row of 200 such columns stays below Postgres's 1 GiB. */
const LONGEST_TEXT = 1_000_000;
const LONGEST_PATTERN = 1000;

const DOMAIN = '^(?:[a-zA-Z][a-zA-Z0-9+.-]*:)?//(?:[^/?#@]*@)?([^/?#:]+)';
const PATH = '^[a-zA-Z][a-zA-Z0-9+.-]*://[^/?#]*(/[^?#]*)';

export const TEXT_FUNCTIONS: readonly SqlFunction[] = [
  direct('lower', ['text'], 'text', (text) => `lower(${text})`),
  direct('upper', ['text'], 'text', (text) => `upper(${text})`),
  direct('trim', ['text'], 'text', (text) => `btrim(${text}, E' \\t\\r\\n')`),
  direct('trimLeft', ['text'], 'text', (text) => `ltrim(${text}, E' \\t\\r\\n')`),
  direct('trimRight', ['text'], 'text', (text) => `rtrim(${text}, E' \\t\\r\\n')`),
  direct('length', ['text'], 'int8', (text) => `char_length(${text})::int8`),
  direct('empty', ['text'], 'bool', (text) => `coalesce(${text}, '') = ''`),
  direct('notEmpty', ['text'], 'bool', (text) => `coalesce(${text}, '') <> ''`),
  direct('position', ['text', 'text'], 'int8', (text, part) => `strpos(${text}, ${part})::int8`),
  direct('startsWith', ['text', 'text'], 'bool', (text, start) => `starts_with(${text}, ${start})`),
  {
    names: ['endsWith'],
    takes: ['text', 'text'],
    make: (args, at) => {
      return value(
        'bool',
        mentioning(args, (text, end) => `right(${text}, char_length(${end})) = ${end}`),
        at,
      );
    },
  },
  {
    names: ['substring', 'substr'],
    takes: ['text', 'int8', 'int8'],
    optional: 1,
    make: ([text, start, length], at) => {
      const sql = length
        ? mentioning([start!, length], (from, count) => {
            const given = `${from} is not null and ${count} is not null`;
            return `case when ${given} then substring(${text!.sql}, ${clampSql(from!, 1)}, ${clampSql(count!, 0)}) end`;
          })
        : mentioning([start!], (from) => {
            return `case when ${from} is not null then substring(${text!.sql}, ${clampSql(from!, 1)}) end`;
          });
      return value('text', sql, at);
    },
  },
  ...(['left', 'right'] as const).map((name): SqlFunction => {
    return {
      names: [name],
      takes: ['text', 'int8'],
      make: ([text, length], at) => {
        const sql = mentioning([length!], (count) => {
          return `case when ${count} is not null then ${name}(${text!.sql}, ${clampSql(count!, 0)}) end`;
        });
        return value('text', sql, at);
      },
    };
  }),
  {
    names: ['replaceAll', 'replace'],
    takes: ['text', 'text', 'text'],
    make: ([text, from, to], at) => {
      const [searched, replacement] = [literalText(from!, 'what is replaced'), literalText(to!, 'the replacement')];
      if (searched === '') throw invalid('what is replaced must not be empty', at);
      const growth = Math.max(1, Math.ceil(characters(replacement) / characters(searched)));
      const sql = mentioning([text!], (given) => {
        const longest = Math.floor(LONGEST_TEXT / growth);
        const replaced = `replace(${given}, ${literal(searched)}, ${literal(replacement)})`;
        return `case when char_length(${given}) <= ${longest} then ${replaced} end`;
      });
      return value('text', sql, at);
    },
  },
  { names: ['concat'], takes: ['text'], repeats: true, make: concatenate },
  direct('domain', ['text'], 'text', (url) => `substring(${url} from ${literal(DOMAIN)})`),
  direct('path', ['text'], 'text', (url) => `substring(${url} from ${literal(PATH)})`),
  direct('MD5', ['text'], 'text', (text) => `md5(${text})`),
  direct('SHA256', ['text'], 'text', (text) => `encode(sha256(convert_to(${text}, 'UTF8')), 'hex')`),
];

/** Concatenates texts; NULL counts as empty, as in HogQL. */
export function concatenate(given: readonly Value[], at: Place): Value {
  const texts = given.map((one) => expect(one, 'text', 'what is joined'));
  const sql = mentioning(texts, (...operands) => {
    const length = operands.map((operand) => `coalesce(char_length(${operand}), 0)`).join(' + ');
    return `case when ${length} <= ${LONGEST_TEXT} then concat(${operands.join(', ')}) end`;
  });
  return value('text', sql, at);
}

/** @returns the pattern of LIKE. @throws InvalidInput for a pattern that Postgres would refuse, or that is not a literal */
export function likePattern(given: Value): string {
  const pattern = literalText(given, 'the pattern of LIKE');
  if (pattern.length > LONGEST_PATTERN) {
    throw invalid(`the pattern of LIKE is longer than ${LONGEST_PATTERN} characters`, given.at);
  }
  const endsEscaping = /(?:^|[^\\])(?:\\\\)*\\$/.test(pattern);
  if (endsEscaping) throw invalid('the pattern of LIKE ends with a backslash that escapes nothing', given.at);
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
