/**
 * Copies a text to the clipboard. Browsers have `navigator.clipboard` in secure contexts only: not where an installation is reached over plain
 * HTTP by the name of another machine.
 * @throws Error if the browser refuses
 */
export async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const before = document.activeElement;
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'visually-hidden';
  // An open dialog takes the focus back from everything outside of it.
  (before?.closest('[role=dialog]') ?? document.body).append(field);
  field.select();
  // No other way is left there, so browsers keep it.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy');
  field.remove();
  if (before instanceof HTMLElement) before.focus();
  if (!isCopied) throw new Error('The browser refused to copy.');
}
