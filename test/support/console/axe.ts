/** Checks the accessibility of a page with axe. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';

const FILE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/**
 * @param where the page, for the message of a test that looks at many
 * @param rules only these; absent: all
 * @throws AssertionError for faults that axe calls serious or critical
 */
export async function assertAccessible(page: Page, where?: string, rules?: readonly string[]): Promise<void> {
  // Evaluated as text: the page's content security policy allows only its own scripts.
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(await readFile(FILE, 'utf8'));
  // A fade lowers the contrast of texts for a moment. What runs for ever, such as the mark of a run, is no fade.
  await page.evaluate(async () => {
    const fades = document.getAnimations().filter(({ effect }) => effect?.getTiming().iterations !== Infinity);
    await Promise.allSettled(fades.map(({ finished }) => finished));
  });
  // React Aria's announcer may refer to a button that no longer exists.
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run({ exclude: [['[data-live-announcer]']] }, ${JSON.stringify(rules ? { runOnly: rules } : {})})`,
  );
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  assert.deepEqual(
    grave.map(({ id, help, nodes }) => ({ id, help, at: nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)) })),
    [],
    where,
  );
}
