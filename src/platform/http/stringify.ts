/** Serializes answers as JSON in steps, because a page of a thousand large rows takes seconds and would block other requests. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';

const LONGEST_TURN_MS = 10;

/**
 * @returns the same text as `JSON.stringify`
 * @param body with long lists only at its top level, such as a page's `results`; these are written element by element
 */
export async function stringifyInTurns(body: unknown): Promise<string> {
  const turns = createTurns();
  if (Array.isArray(body)) return stringifyList(body, turns);
  if (typeof body !== 'object' || body === null || 'toJSON' in body) return JSON.stringify(body);
  const fields: string[] = [];
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const text = Array.isArray(value)
      ? await stringifyList(value, turns)
      : (JSON.stringify(value) as string | undefined);
    if (text !== undefined) fields.push(`${JSON.stringify(name)}:${text}`);
    if (turns.isOver()) await turns.next();
  }
  return `{${fields.join()}}`;
}

async function stringifyList(list: readonly unknown[], turns: Turns): Promise<string> {
  const elements: string[] = [];
  for (const element of list) {
    elements.push((JSON.stringify(element) as string | undefined) ?? 'null');
    if (turns.isOver()) await turns.next();
  }
  return `[${elements.join()}]`;
}

type Turns = { isOver(): boolean; next(): Promise<void> };

function createTurns(): Turns {
  let startedAt = performance.now();
  return {
    isOver: () => performance.now() - startedAt > LONGEST_TURN_MS,
    async next() {
      await yieldToOthers();
      startedAt = performance.now();
    },
  };
}
