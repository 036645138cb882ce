/** Sentence about how far an export is complete. */
import { useNow } from '../../look/now.ts';
import { formatDuration, formatInterval, isToday, Time, useShownZone } from '../../look/time.tsx';
import { isOfCalendar } from './cadence.ts';

type FreshnessOf = {
  completeUntil: string | null;
  lagSeconds: number;
  targetSeconds: number | null;
  /** Such as `hour`. */
  interval: string;
  /** An instant in the first interval, for an export whose first interval has not ended. */
  inNextInterval: string | null;
  /** The start: no earlier interval is delivered automatically. */
  startAt: string | null;
  /** The first interval, where it is known; that of an export by hours or minutes follows from `inNextInterval`. */
  first?: { start: string; end: string } | undefined;
  /** The newest delivered interval. */
  delivered: { start: string; end: string } | null;
  /** Whether intervals are retried or not delivered: some have ended, and their error says more. */
  hasTroubles: boolean;
};

export function Freshness({
  completeUntil,
  lagSeconds,
  targetSeconds,
  interval,
  inNextInterval,
  startAt,
  first: givenFirst,
  delivered,
  hasTroubles,
}: FreshnessOf) {
  const now = useNow();
  const zone = useShownZone();
  const behind =
    lagSeconds > 0
      ? `, ${formatDuration(lagSeconds)} behind${targetSeconds ? ` (target ${formatDuration(targetSeconds)})` : ''}`
      : '';
  // Without `completeUntil`, the deliveries are of intervals before the schedule began.
  const history = delivered && `Newest delivery: ${formatInterval(delivered.start, delivered.end, zone)}. `;
  // An export is never late before it begins.
  if (startAt !== null && Date.parse(startAt) > now)
    return (
      <>
        {history}Begins <Time iso={startAt} weekday />: no earlier interval is delivered automatically.
      </>
    );
  if (completeUntil === null) {
    const first = givenFirst ?? (inNextInterval === null ? undefined : firstInterval(interval, inNextInterval));
    const isWaiting = first !== undefined && Date.parse(first.end) > now;
    const isFirstUnderWay = isWaiting || (lagSeconds === 0 && isOfCalendar(interval));
    if (isFirstUnderWay && hasTroubles && !history) return null;
    if (isWaiting)
      return (
        <>
          {history ? `${history}The next` : 'No interval has ended since the export was created. The first'},{' '}
          {formatInterval(first.start, first.end, zone)}, is delivered once it ends.
        </>
      );
    // Lists do not know the zone of the export, by which its first day, week or month begins.
    if (lagSeconds === 0 && isOfCalendar(interval))
      return (
        <>
          {history ? `${history}The next` : `No ${interval} has ended since the export was created. The first`}{' '}
          {interval} is delivered once it ends.
        </>
      );
    return (
      <>
        {history ? `${history}Nothing since the export was created` : 'Nothing has been delivered yet'}
        {behind}.
      </>
    );
  }
  return (
    <>
      Complete until <Time iso={completeUntil} date={!isToday(completeUntil)} />
      {behind}.
    </>
  );
}

/** @returns undefined for days, weeks and months, whose start depends on the time zone */
function firstInterval(interval: string, inNextInterval: string): { start: string; end: string } | undefined {
  const minutes = interval === 'hour' ? 60 : Number(/^every (\d+) minutes$/.exec(interval)?.[1]);
  if (!minutes) return undefined;
  const step = minutes * 60_000;
  const start = Math.floor(Date.parse(inNextInterval) / step) * step;
  return { start: new Date(start).toISOString(), end: new Date(start + step).toISOString() };
}
