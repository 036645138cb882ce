/** The text of docs/configuration.md, from the schema of the environment. */
import { Environment } from '../../src/platform/config.ts';

type Variable = { default?: string | number; description?: string };

const INTRODUCTION = `<!-- Generated from src/platform/config.ts by \`npm run docs:configuration\`. Do not edit. -->

# Configuration

By environment variables only; an empty one counts as unset. \`npm start\` needs none. \`.env.example\` is the same list, to copy. A value that is not
valid ends the command, with a sentence that names every variable that is wrong.

A secret need not be in the environment: \`DATABASE_URL_FILE=/run/secrets/database-url\` reads \`DATABASE_URL\` from that file, and every other variable
can be read in the same way. The line break at the end of the file is not part of the value.
`;

function rowOf(name: string, { default: fallback = '', description = '' }: Variable): string {
  return `| \`${name}\` | ${fallback === '' ? '' : `\`${fallback}\` `}| ${description} |`;
}

export function configurationPage(): string {
  const rows = Object.entries<unknown>(Environment.properties).map(([name, schema]) => rowOf(name, schema as Variable));
  return [INTRODUCTION, '| variable | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
}
