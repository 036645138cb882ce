/** Asserts that a page shows hostile texts as text. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** @param address for the message */
export async function assertNothingRan(page: Page, address: string): Promise<void> {
  assert.equal(await page.evaluate('window.executed ?? null'), null, address);
  assert.equal(await page.locator('img, iframe, base, svg[onload], [onerror], [ontoggle]').count(), 0, address);
  const links = await page.locator('a[href]').evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
  for (const link of links)
    assert.match(link, /^(https?:\/\/127\.0\.0\.1[:/]|https:\/\/temporal\.example\/|mailto:)/, address);
}
