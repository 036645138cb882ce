/**
 * `npm run console:types` writes the types of the API that the console calls, from the API's OpenAPI document. Four things are left out:
 * what SDKs request (it is no JSON API under `/api/`), descriptions, refusals (all have one form), and, where an answer may be JSON, its
 * other content types.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { apiRoutes } from '../src/app/api.ts';
import { openApiDocument } from '../src/platform/http/openapi/document.ts';

const FILE = fileURLToPath(new URL('src/api/schema.d.ts', import.meta.url));
const LEFT_OUT = new Set(['description', 'summary', 'example', 'examples', 'links', 'headers', 'default']);
/** Keys whose values are maps by name. Nothing is left out of these maps: a field may be called `description`. */
const MAPS_BY_NAME = new Set(['properties', 'schemas', 'paths']);

/** @returns the text that `console/src/api/schema.d.ts` should have */
export async function apiTypes(): Promise<string> {
  const { default: openapiTS, astToString } = await import('openapi-typescript');
  const document = openApiDocument(apiRoutes, 'http://127.0.0.1:8000');
  const types = await openapiTS(JSON.stringify(trimmed(document)), { alphabetize: true });
  return `/** Written by \`npm run console:types\`. */\n${astToString(types)}`;
}

function trimmed(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((one) => trimmed(one));
  if (typeof value !== 'object' || value === null) return value;
  const json = !isNames && 'application/json' in value;
  const entries = Object.entries(value).filter(
    ([key]) => isNames || (json ? key === 'application/json' : !(LEFT_OUT.has(key) || /^[45]\d\d$/.test(key))),
  );
  return Object.fromEntries(entries.map(([key, one]) => [key, trimmed(one, !isNames && MAPS_BY_NAME.has(key))]));
}

/** @returns the present text of `console/src/api/schema.d.ts`; '' if there is no file */
export const writtenTypes = () => readFile(FILE, 'utf8').catch(() => '');

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(FILE, await apiTypes());
