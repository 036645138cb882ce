/** The counts of answers, operation by operation. */
import type { AnsweredRequest } from '../support/servers/sluice.ts';
import type { Document } from './document.ts';

type Counted = {
  /** As in the document: `get /api/users/@me/`. */
  name: string;
  address: string;
  method: string;
  pattern: RegExp;
  /** With which the document has it answered where all is well. Two have none: what they would delete is deleted by PATCH. */
  successes: readonly number[];
  good: number;
  statuses: Map<number, number>;
};

/** Fewer parameters first; of as many, those with more literal text. */
function rankOf({ pattern: { source } }: Counted): number {
  return source.split('[^/]+').length * 1000 - source.length;
}

function operationsOf({ paths }: Document): Counted[] {
  return Object.entries(paths).flatMap(([address, operations]) => {
    const text = address.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+');
    return Object.entries(operations).map(([method, { responses }]) => ({
      name: `${method} ${address}`,
      address,
      method: method.toUpperCase(),
      pattern: new RegExp(`^${text.replace(/\/$/, '/?')}$`),
      successes: Object.keys(responses).map(Number).filter((status) => status < 300), // prettier-ignore
      good: 0,
      statuses: new Map<number, number>(),
    }));
  });
}

/**
 * @param only a pattern of the paths that were asked; all by default
 * @returns lines to print; operations that succeeded; those that never did, and server errors
 */
export function tally(
  answered: readonly AnsweredRequest[],
  document: Document,
  only = '',
): { lines: string[]; good: number; bad: number } {
  const operations = operationsOf(document);
  // Literal paths before those with a parameter in their place, as the server compares them.
  const ordered = operations.toSorted((a, b) => rankOf(a) - rankOf(b));
  const faults: string[] = [];
  for (const { method, url, status } of answered) {
    const [path = ''] = url.split('?');
    const found = ordered.find((one) => one.method === method && one.pattern.test(path));
    // Also 503: what a fuzzed server depends on is there.
    if (status >= 500) faults.push(`${status} ${method} ${url.slice(0, 200)}`);
    if (!found) continue;
    found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
    if (found.successes.includes(status)) found.good += 1;
  }
  const countedOperations = operations.filter(
    ({ address, successes }) => successes.length > 0 && new RegExp(only).test(address),
  );
  const never = countedOperations.filter(({ good }) => good === 0);
  const good = operations.reduce((sum, one) => sum + one.good, 0);
  return {
    good: countedOperations.length - never.length,
    bad: never.length + faults.length,
    lines: [
      ...faults.map((fault) => `FAULT ${fault}`),
      ...never.map(
        ({ name, statuses }) =>
          `NEVER 2xx ${name}: ${[...statuses].map(([status, times]) => `${status} × ${times}`).join(', ') || 'not asked'}`,
      ),
      `${answered.length} requests, ${good} of them answered 2xx, ${faults.length} server errors`,
      `${countedOperations.length - never.length} of ${countedOperations.length} operations answered 2xx at least once`,
    ],
  };
}
