/** Height of rows: 36 pixels, or 28 for people who want to see more of them. This browser stores the choice. */

const STORED = 'sluice.compact-rows';

export const areRowsCompact = (): boolean => localStorage.getItem(STORED) === 'on';

export function setRowsCompact(isOn: boolean): void {
  localStorage.setItem(STORED, isOn ? 'on' : 'off');
  applyDensity();
}

/** For the start of the page. */
export function applyDensity(): void {
  const { dataset } = document.documentElement;
  if (areRowsCompact()) dataset['density'] = 'compact';
  else delete dataset['density'];
}
