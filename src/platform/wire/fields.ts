/** Fields of a query or of a form. */
import { unescape } from 'node:querystring';
import { replaceUnit } from './replace.ts';

/** @returns the first field of that name; undefined when there is none, and when it is empty */
export type Fields = (name: string) => string | undefined;

/**
 * Finds fields when they are asked for: a form of a million fields costs no more memory than its text.
 * @param text as in `a=1&b=%20`; escapes that are broken are left as they are
 */
export function fieldsOf(text: string): Fields {
  return (name) => {
    if (!text.includes(name)) return undefined;
    const start = startOf(text, `${name}=`);
    if (start < 0) return undefined;
    const end = text.indexOf('&', start);
    const value = text.slice(start, end < 0 ? text.length : end);
    return (ESCAPED.test(value) ? unescape(replaceUnit(value, '+', ' ')) : value) || undefined;
  };
}

/** @param url of a request @returns the fields after its `?` */
export function queryOf(url: string): Fields {
  const index = url.indexOf('?');
  return index < 0 ? NO_FIELDS : fieldsOf(url.slice(index + 1));
}

export const NO_FIELDS: Fields = () => undefined;

const ESCAPED = /[+%]/;

function startOf(text: string, prefix: string): number {
  if (text.startsWith(prefix)) return prefix.length;
  const index = text.indexOf(`&${prefix}`);
  return index < 0 ? -1 : index + 1 + prefix.length;
}
