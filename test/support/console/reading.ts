/** Whether a page can be read at its width: nothing beside the window, and no text that is cut for good. */
import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';

/** @throws AssertionError when the page scrolls sideways or cuts a text that nothing else tells */
export async function assertReadable(page: Page, where: string): Promise<void> {
  const { wide, cut } = await page.evaluate(findLayoutFaults);
  assert.deepEqual({ wide, cut }, { wide: [], cut: [] }, where);
}

/** Runs in the page. */
function findLayoutFaults(): { wide: string[]; cut: string[] } {
  const isWide = document.scrollingElement!.scrollWidth > innerWidth;
  const beside = [...document.body.querySelectorAll('*')]
    .filter((element) => isWide && element.getBoundingClientRect().right > innerWidth + 0.5)
    .map((element) => element.outerHTML.slice(0, 160));
  const cut: string[] = [];
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
      // A text that scrolls, or whose title says all of it, can be read; one pixel is for ears only.
      if (['auto', 'scroll'].includes(overflowX) || box.hasAttribute('title') || frame.width <= 1) break;
      if (overflowX !== 'visible' && (right > frame.right + 1 || left < frame.left - 1)) {
        cut.push(`${text.textContent.trim().slice(0, 60)} in ${box.outerHTML.slice(0, 160)}`);
        break;
      }
    }
  }
  return { wide: isWide ? ['the page', ...beside.slice(-3)] : [], cut };
}
