/** Numbers and days as people read them. */

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const CHANGE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** Shortens a number for axes: `1.2K`. */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** Formats a number: `1,234.5`; a dash for other values. */
export function formatNumber(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? WHOLE.format(value) : '–';
}

/** Share of a whole; a dash if the whole is zero. */
export function formatPercent(part: number, whole: number): string {
  return whole > 0 ? PERCENT.format(part / whole) : '–';
}

/** Change in percent: `+43.8%`; empty if the value before was not above zero. */
export function formatChange(previous: number, now: number): string {
  if (previous <= 0) return '';
  if (now === previous) return 'unchanged';
  // Screen readers do not read a hyphen as a minus sign.
  return CHANGE.format(now / previous - 1).replace('-', '−');
}

/** Shortens a day for axes: `1-Jun-2024` to `1 Jun`. */
export function shortenDay(label: string): string {
  return label.replace(/-\d{4}$/, '').replace('-', ' ');
}

/** Formats seconds in the largest unit that they fill: `3 min`, `2.5 h`. */
export function formatDuration(seconds: number): string {
  const [length, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${WHOLE.format(Math.round((seconds / length) * 10) / 10)} ${unit}`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];
