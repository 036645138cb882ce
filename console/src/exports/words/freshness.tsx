/** How far an export is complete, as a sentence. */
import { useNow } from '../../look/now.ts';
import { formatDuration, formatInterval, isToday, Time, viewerZone } from '../../look/time.tsx';

type FreshnessOf = {
  completeUntil: string | null;
  lagSeconds: number;
  targetSeconds: number | null;
  /** As `hour`, and an instant in its first interval: of an export none of whose intervals has ended yet. */
  interval: string;
  createdAt: string | null;
};

export function Freshness({ completeUntil, lagSeconds, targetSeconds, interval, createdAt }: FreshnessOf) {
  const now = useNow();
  const behind =
    lagSeconds > 0
      ? `, ${formatDuration(lagSeconds)} behind${targetSeconds ? ` (target ${formatDuration(targetSeconds)})` : ''}`
      : '';
  if (completeUntil === null) {
    const first = createdAt === null ? undefined : firstInterval(interval, createdAt);
    if (first && Date.parse(first.end) > now)
      return (
        <>
          No interval has ended yet. The first, {formatInterval(first.start, first.end, viewerZone)}, is delivered once
          it ends.
        </>
      );
    return <>Nothing has been delivered yet{behind}.</>;
  }
  return (
    <>
      Complete until <Time iso={completeUntil} date={!isToday(completeUntil)} />
      {behind}.
    </>
  );
}

/** Of hours only: where days begin depends on the clocks of a time zone. */
function firstInterval(interval: string, createdAt: string): { start: string; end: string } | undefined {
  const minutes = interval === 'hour' ? 60 : Number(/^every (\d+) minutes$/.exec(interval)?.[1]);
  if (!minutes) return undefined;
  const step = minutes * 60_000;
  const start = Math.floor(Date.parse(createdAt) / step) * step;
  return { start: new Date(start).toISOString(), end: new Date(start + step).toISOString() };
}
