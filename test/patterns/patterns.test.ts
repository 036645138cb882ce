/**
 * Every regular expression of the product takes time linear in what it is given: `recheck` reads each and looks for texts that make it
 * slow. Where it finds some, the pattern is rewritten; the few exceptions are listed here with what bounds their input.
 */
import assert from 'node:assert/strict';
import { check, type Parameters } from 'recheck';
import { DATE_PATTERN } from '../../src/conditions/operators/dates.ts';
import { patternsOfFile, patternsOfSource, type SourcePattern } from './patterns-of-source.ts';

/** Patterns whose text is not constant, by file: what they are instead. `sources` are checked. */
const MADE: Readonly<Record<string, { why: string; sources?: readonly string[] }>> = {
  'src/conditions/regex/char-sets.ts': { why: 'one class of characters, tried on one character' },
  'src/conditions/operators/dates.ts': { why: 'made of the names of zones', sources: [DATE_PATTERN] },
  'src/flags/extensions/surveys/display.ts': { why: 'only compiled, never tried: browsers use it' },
  'src/platform/http/openapi/schema.ts': {
    why: 'a pattern of a schema, which is checked where it stands, tried on our own examples',
  },
  'src/conditions/custom-queries/tokens.ts': { why: 'a keyword, or no pattern' },
};

/** Checks at once, one for each core of a small machine. */
const AT_ONCE = 2;

/** Characters that matching may read, instead of the time that it may take: a busy machine changes no verdict. */
const LIMITS = {
  attackLimit: 50_000_000,
  attackTimeout: null,
  incubationTimeout: null,
  seedingTimeout: null,
  timeout: 120_000,
} satisfies Parameters;

async function verdictOf(source: string, flags: string): Promise<string> {
  const found = await check(source, flags, LIMITS);
  return found.status === 'vulnerable' ? `vulnerable: ${found.complexity.summary}` : found.status;
}

const nameOf = ({ source, flags }: SourcePattern) => `/${source}/${flags}`;

function describePattern({ file, line, source, flags }: SourcePattern): string {
  return `${file}:${line} /${source}/${flags}`;
}

describe('patterns of the product', () => {
  const patterns = patternsOfSource();

  it('are found where they are written', () => {
    const found = patternsOfFile(
      'x.ts',
      [
        'const PART = String.raw`\\d+`;',
        'const a = /a+/gi, b = new RegExp(`^${PART}$`, "u"), c = RegExp("c");',
        'Type.String({ pattern: "^d$" }); createToken({ pattern: /e/ }); new RegExp(unknown);',
      ].join('\n'),
    );
    assert.deepEqual(
      found.map(({ source, flags }) => `${source} ${flags}`),
      ['a+ gi', '^\\d+$ u', 'c ', '^d$ u', 'e y', 'undefined '],
    );
    assert.ok(patterns.length > 200, `${patterns.length}`);
  });

  it('that are made at run time are known here', () => {
    const made = patterns.filter(({ source }) => source === undefined).map(({ file }) => file);
    assert.deepEqual([...new Set(made)].sort(), Object.keys(MADE).sort());
  });

  it('take linear time', async function () {
    this.timeout(600_000);
    const constant = patterns.filter(({ source }) => source !== undefined);
    const ofMade = Object.entries(MADE).flatMap(([file, { sources = [] }]) =>
      sources.map((source) => ({ file, line: 0, source, flags: 'i' })),
    );
    const all = [...constant, ...ofMade];
    const verdicts = new Map<string, string>();
    const left = new Map(all.map((pattern) => [nameOf(pattern), pattern])).entries();
    async function checkNext(): Promise<void> {
      // Both go through the same iterator, so each pattern is checked once.
      for (const [name, { source, flags }] of left) verdicts.set(name, await verdictOf(source!, flags));
    }
    await Promise.all(Array.from({ length: AT_ONCE }, checkNext));
    const slow = all.flatMap((pattern) => {
      const verdict = verdicts.get(nameOf(pattern))!;
      return verdict === 'safe' ? [] : [`${describePattern(pattern)} ${verdict}`];
    });
    assert.deepEqual(slow, []);
  });

  it('the check finds a slow one', async () => {
    assert.match(await verdictOf(String.raw`^[+-]?(\d+\.?\d*|\.\d+)$`, ''), /polynomial/);
    assert.match(await verdictOf('^(a+)+$', ''), /exponential/);
  });
});
