/** Finds the position of a JSON syntax error, if the engine's message tells it. */

/** Number of characters that the engine quotes before and after the faulty one. */
const QUOTED = 10;
const END = ' is not valid JSON';

/**
 * @param message of the SyntaxError that `JSON.parse` throws for the text
 * @returns `, at line 3, column 7`, both from 1; empty if the position is unknown
 */
export function positionOfFault(text: string, message: string): string {
  const at = offsetOf(text, message);
  if (at === undefined) return '';
  if (at >= text.length) return `: it ends too early, in line ${lineOf(text, text.length)}`;
  return `, at line ${lineOf(text, at)}, column ${at - text.lastIndexOf('\n', at - 1)}`;
}

function offsetOf(text: string, message: string): number | undefined {
  const position = / at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  if (message.startsWith('Unexpected end')) return text.length;
  const quoting = /^Unexpected token '(.)', (\.\.\.)?"/su.exec(message);
  if (!quoting || !message.endsWith(END)) return undefined;
  const [opening, token = '', before] = quoting;
  const rest = message.slice(opening.length, -END.length);
  const isCutAfter = rest.endsWith('"...');
  const context = rest.slice(0, isCutAfter ? -'"...'.length : -1);
  if (before !== undefined) {
    const start = onlyOccurrence(text, context);
    return start === undefined ? undefined : start + QUOTED;
  }
  return isCutAfter ? context.length - QUOTED : onlyOccurrence(text, token);
}

/** @returns undefined unless the text contains the part exactly once */
function onlyOccurrence(text: string, part: string): number | undefined {
  const first = part === '' ? -1 : text.indexOf(part);
  return first === -1 || text.includes(part, first + 1) ? undefined : first;
}

function lineOf(text: string, end: number): number {
  let line = 1;
  for (let index = text.indexOf('\n'); index !== -1 && index < end; index = text.indexOf('\n', index + 1)) line += 1;
  return line;
}
