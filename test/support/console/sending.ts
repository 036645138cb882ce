/** Checks that a form shows at once that its request is on the way, and that a second press sends nothing. */
import assert from 'node:assert/strict';
import type { Locator, Page, Route } from 'playwright-core';

const API = '**/api/**';

/**
 * Presses the button twice, or Enter in a field, while the answer to the first request is held back.
 * @throws AssertionError if the button does not show that it works, or if more than one request was sent
 */
export async function assertSentOnce(page: Page, button: Locator, field?: Locator): Promise<void> {
  const answered = Promise.withResolvers<void>();
  const sent: string[] = [];
  const hold = async (route: Route) => {
    const request = route.request();
    // A preview is of what is typed, and changes nothing.
    if (request.method() !== 'GET' && !request.url().includes('preview')) {
      sent.push(`${request.method()} ${request.url()}`);
      await answered.promise;
    }
    await route.continue();
  };
  await page.route(API, hold);
  const name = await button.innerText();
  await (field ? field.press('Enter') : button.dblclick());
  const working = page.getByRole('button', { name: `${name} in progress`, disabled: true });
  await working.waitFor({ timeout: 5000 });
  const { backgroundSize, animationName } = await working.evaluate((one) => getComputedStyle(one));
  assert.ok(backgroundSize.endsWith(' 2px') && animationName !== 'none', `${backgroundSize} ${animationName}`);
  await (field ? field.press('Enter') : working.click({ force: true }));
  answered.resolve();
  await working.waitFor({ state: 'detached' });
  await page.unroute(API, hold);
  // A page that follows may send requests of its own.
  assert.deepEqual(
    sent.filter((one) => one === sent[0]),
    sent.slice(0, 1),
  );
}
