/** Intervals of an export as words: `3 hours`, `1 day`, `12 intervals`. */
import { quantity } from './quantity.ts';

/** @param interval of the export, as `hour` or `every 5 minutes` */
export function countIntervals(count: number, interval: string): string {
  return quantity(count, interval === 'hour' || isOfCalendar(interval) ? interval : 'interval');
}

/** Whether the interval's boundaries follow local time in the export's time zone; those of hours and minutes do not. */
export const isOfCalendar = (interval: string): boolean => ['day', 'week', 'month'].includes(interval);
