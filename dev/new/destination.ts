/** The skeleton of a destination: its folder, its contract test, its page of the documentation, and its place in the registry. */
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { DESTINATION_TYPES } from '../../src/exports/destinations/index.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const FOLDER = 'src/exports/destinations';
const REGISTRY = `${FOLDER}/index.ts`;
const OVERVIEW = 'docs/destinations.md';
const FROZEN = 'test/frozen-names/of-destinations.ts';

const RESERVED_WORDS = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for ' +
    'function if implements import in instanceof interface let new null package private protected public return static super switch ' +
    'this throw true try typeof undefined var void while with yield'
  ).split(' '),
);

/** Failure with a message for the person at the terminal, printed without a stack. */
export class Refused extends Error {}

/** @returns what was made and what is to be done next. @throws Refused, having changed nothing */
export async function makeDestination(name: string): Promise<string> {
  const words = namesOf(name);
  const { type, constant } = words;
  const [source, test] = [`${FOLDER}/${name}/${name}.ts`, `test/exports/destinations/${name}.test.ts`];
  const page = `docs/destinations/${name}.md`;
  for (const taken of [`${FOLDER}/${name}`, test, page])
    if (existsSync(path.join(ROOT, taken))) throw takenError(name, taken);
  const known = DESTINATION_TYPES.find((other) => other.toLowerCase() === type.toLowerCase());
  if (known) throw takenError(name, `the type ${known}`);

  const files: Record<string, string> = {
    [source]: await fromTemplate('destination.txt', words),
    [test]: await fromTemplate('destination-test.txt', words),
    [REGISTRY]: await withInsertions(REGISTRY, [
      [/(?=\n\n\/\*\*|\n\nconst )/, `\nimport { ${constant} } from './${name}/${name}.ts';`],
      [/(?<=const ALL: readonly Destination\[\] = \[[^\]]*?)(?=,?\s*\];)/, `, ${constant}`],
    ]),
    [page]: await fromTemplate('destination-page.txt', words),
    [OVERVIEW]: await withInsertions(OVERVIEW, [
      [/(?<=\n\| \[`\w+`\][^\n]*)(?=\n\n)/, `\n| [\`${type}\`](destinations/${name}.md) | say what |`],
      [
        /(?=\n\n\| field \| value \| means \|)/,
        `\n| \`${type}\` | | \`exactly_once\` | \`replaces\` | \`never_half\` |`,
      ],
    ]),
    [FROZEN]: await withInsertions(FROZEN, [
      [/(?<=const CONFIGS: [^\n]*\n(?: {2}[^\n]*\n)*)(?=\};)/, `  ${type}: { folder: 'folder' },\n`],
    ]),
  };
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(ROOT, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, await formatted(target, text));
  }
  return `Made ${source}, ${test} and ${page}; added ${type} to ${REGISTRY}, ${OVERVIEW} and ${FROZEN}.

Next:
  npx mocha ${test}   # fails, and names what is not written yet
  examples/destination/append-folder.ts is a whole one to copy from; ${FOLDER}/contract.ts says what may be relied on.
  \`folder\` is an example: put your own fields in its place in the files that were made and in ${FROZEN}.
  npx mocha test/exports/destinations/documentation.test.ts   # compares fields and ${page}
  npm run frozen-names   # once the fields are settled: they cannot be renamed later`;
}

/** Markdown stays as it is, as in `.prettierignore`. */
async function formatted(file: string, text: string): Promise<string> {
  if (file.endsWith('.md')) return text;
  return format(text, { ...(await resolveConfig(file)), filepath: file });
}

type Words = { name: string; type: string; constant: string };

/** @throws Refused */
function namesOf(name: string): Words {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name) || name.length > 40)
    throw new Refused(
      `"${name}" is no name: at most 40 small letters and digits, words joined by hyphens, such as append-folder.`,
    );
  const type = name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => first.toUpperCase());
  const constant = type[0]!.toLowerCase() + type.slice(1);
  if (RESERVED_WORDS.has(constant))
    throw new Refused(`"${name}" is a word of JavaScript: choose a name such as ${name}-store.`);
  return { name, type, constant };
}

function takenError(name: string, by: string): Refused {
  return new Refused(`"${name}" is taken: there is ${by} already. Nothing was changed.`);
}

async function fromTemplate(template: string, { name, type, constant }: Words): Promise<string> {
  const text = await readFile(new URL(template, import.meta.url), 'utf8');
  const title = name.replaceAll('-', ' ').replace(/^./, (first) => first.toUpperCase());
  const values: Record<string, string> = { TYPE: type, TITLE: title, NAME: name, CONSTANT: constant };
  return text.replace(/\b(?:TYPE|TITLE|NAME|CONSTANT)\b/g, (word) => values[word]!);
}

/** @throws Refused when the file no longer has the place that a text belongs to */
async function withInsertions(
  file: string,
  insertions: readonly (readonly [place: RegExp, text: string])[],
): Promise<string> {
  let text = await readFile(path.join(ROOT, file), 'utf8');
  for (const [place, inserted] of insertions) {
    if (!place.test(text))
      throw new Refused(`${file} has changed: dev/new/destination.ts does not find where to add to it.`);
    text = text.replace(place, () => inserted);
  }
  return text;
}
