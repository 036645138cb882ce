/** Checks that a page is readable at its width: it does not scroll sideways, and no text is cut off. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** @throws AssertionError when the page scrolls sideways or cuts off a text without showing it elsewhere */
export async function assertReadable(page: Page, where: string): Promise<void> {
  const { wide, cutTexts } = await page.evaluate(findLayoutFaults);
  assert.deepEqual({ wide, cut: cutTexts }, { wide: [], cut: [] }, where);
}

/** Runs in the page. */
function findLayoutFaults(): { wide: string[]; cutTexts: string[] } {
  const isWide = document.scrollingElement!.scrollWidth > innerWidth;
  const overflowing = [...document.body.querySelectorAll('*')]
    .filter((element) => isWide && element.getBoundingClientRect().right > innerWidth + 0.5)
    .map((element) => element.outerHTML.slice(0, 160));
  const cutTexts: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    if (!text.textContent?.trim() || !text.parentElement?.checkVisibility()) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const { left, right } = range.getBoundingClientRect();
    for (let box: Element | null = text.parentElement; box && box !== document.body; box = box.parentElement) {
      const { overflowX } = getComputedStyle(box);
      const frame = box.getBoundingClientRect();
      // Text that scrolls or has a title can be read; one pixel is for screen readers only.
      if (['auto', 'scroll'].includes(overflowX) || box.hasAttribute('title') || frame.width <= 1) break;
      if (overflowX !== 'visible' && (right > frame.right + 1 || left < frame.left - 1)) {
        cutTexts.push(`${text.textContent.trim().slice(0, 60)} in ${box.outerHTML.slice(0, 160)}`);
        break;
      }
    }
  }
  return { wide: isWide ? ['the page', ...overflowing.slice(-3)] : [], cutTexts };
}
