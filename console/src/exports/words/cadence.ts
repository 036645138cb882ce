/** Intervals of an export as words: `3 hours`, `1 day`, `12 intervals`. */
const NOUNS: Readonly<Record<string, string>> = { hour: 'hour', day: 'day', week: 'week', month: 'month' };

/** @param interval of the export, as `hour` or `every 5 minutes` */
export function countIntervals(count: number, interval: string): string {
  const noun = NOUNS[interval] ?? 'interval';
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`;
}

/** Whether the interval's boundaries follow local time in the export's time zone; those of hours and minutes do not. */
export const isOfCalendar = (interval: string): boolean => ['day', 'week', 'month'].includes(interval);
