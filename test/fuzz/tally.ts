/** What was answered, operation by operation. */
import { apiRoutes, lanes } from '../../src/api.ts';
import { pathsOf } from '../../src/http/paths.ts';
import type { Answered } from '../support/sluice.ts';
import { LEFT_OUT } from './document.ts';

type Counted = {
  name: string;
  method: string;
  pattern: RegExp;
  succeeds: boolean;
  good: number;
  statuses: Map<number, number>;
};

/** Fewer parameters first; of as many, those with more literal text. */
function rankOf({ pattern: { source } }: Counted): number {
  return source.split('[^/]+').length * 1000 - source.length;
}

/**
 * @param only a pattern of the paths that were asked; all by default
 * @returns lines to print; operations that succeeded; those that never did, and server errors
 */
export function tally(answered: readonly Answered[], only = ''): { lines: string[]; good: number; bad: number } {
  const operations: Counted[] = [...apiRoutes, ...lanes].map((route) => {
    const address = pathsOf(route)[0];
    // Two are there to be refused: what they would delete is deleted by PATCH.
    const succeeds = Object.keys(route.answers).some((status) => Number(status) < 400);
    const pattern = new RegExp(`^${address.replace(/[.]/g, '\\.').replace(/:\w+/g, '[^/]+').replace(/\/$/, '/?')}$`);
    return {
      name: `${route.method} ${address.replace(/:(\w+)/g, '{$1}')}`,
      method: route.method,
      pattern,
      succeeds,
      good: 0,
      statuses: new Map(),
    };
  });
  // Literal paths before those with a parameter in their place, as the server compares them.
  const ordered = operations.toSorted((a, b) => rankOf(a) - rankOf(b));
  const faults: string[] = [];
  for (const { method, url, status } of answered) {
    const [path = ''] = url.split('?');
    const found = ordered.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
    // Also 503: what a fuzzed server depends on is there.
    if (status >= 500) faults.push(`${status} ${method} ${url.slice(0, 200)}`);
    if (!found) continue;
    found.statuses.set(status, (found.statuses.get(status) ?? 0) + 1);
    if (status >= 200 && status < 400) found.good += 1;
  }
  const asked = operations.filter(
    ({ name, succeeds }) => succeeds && !LEFT_OUT.includes(name) && new RegExp(only).test(name),
  );
  const never = asked.filter(({ good }) => good === 0);
  return {
    good: asked.length - never.length,
    bad: never.length + faults.length,
    lines: [
      ...faults.map((fault) => `FAULT ${fault}`),
      ...never.map(
        ({ name, statuses }) =>
          `NEVER 2xx ${name}: ${[...statuses].map(([status, times]) => `${status} × ${times}`).join(', ') || 'not asked'}`,
      ),
      `${answered.length} cases, ${asked.length - never.length} of ${asked.length} operations answered 2xx, ${faults.length} server errors`,
    ],
  };
}
