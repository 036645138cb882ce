/** Numbers and days as people read them. */

const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 2 });
const PERCENT = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 });
const CHANGE = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1, signDisplay: 'exceptZero' });

/** `1.2K`: at axes. */
export function compact(value: number): string {
  return COMPACT.format(value);
}

/** `1,234.5`; what is no number is a dash. */
export function number(value: unknown): string {
  return typeof value === 'number' && Number.isFinite(value) ? WHOLE.format(value) : '–';
}

/** Of a whole; of nothing it is a dash. */
export function percent(part: number, whole: number): string {
  return whole > 0 ? PERCENT.format(part / whole) : '–';
}

/** `+43.8%`; of nothing, and of what was below zero, there is no share: empty. */
export function change(before: number, now: number): string {
  if (before <= 0) return '';
  if (now === before) return 'unchanged';
  // Screen readers say nothing of a hyphen.
  return CHANGE.format(now / before - 1).replace('-', '−');
}

/** `1-Jun-2024` to `1 Jun`: at axes. */
export function shortDay(label: string): string {
  return label.replace(/-\d{4}$/, '').replace('-', ' ');
}

/** `3 min`, `2.5 h`: seconds in the unit that they fill. */
export function duration(seconds: number): string {
  const [length, unit] = UNITS.find(([least]) => seconds >= least) ?? [1, 's'];
  return `${WHOLE.format(Math.round((seconds / length) * 10) / 10)} ${unit}`;
}

const UNITS: readonly (readonly [number, string])[] = [
  [86_400, 'd'],
  [3_600, 'h'],
  [60, 'min'],
];
