/** The quiet after chaos: everything that is missing, failed or stale is asked for, as an operator would, until nothing is. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from './api-client.ts';
import { isFileType, type Fleet, type Member } from './fleet.ts';
import { occupiedBy, type Stores } from './objects.ts';
import { FIRST_HOUR, HOURS } from './operator.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

/** The data intervals that an export has to have delivered at the end, half-open. */
export type Range = {
  start: Date;
  end: Date;
  /** Ends of those, in milliseconds, that it may not deliver: files of another export are there. */
  occupied: ReadonlySet<number>;
};

/** Pauses every export, so that the list of intervals ends. @returns the range of each by its id */
export async function pauseAll(fleet: Fleet, api: ApiClient, stores: Stores): Promise<Map<string, Range>> {
  const ranges = new Map<string, Range>();
  for (const member of fleet.alive()) {
    await api.done('POST', `/batch_exports/${member.id}/pause/`);
    const { place } = member;
    const occupied = isFileType(place.type)
      ? await occupiedBy((exportId) => exportId !== member.id, stores[place.type], place)
      : new Set<number>();
    ranges.set(member.id, {
      ...(member.live ? rangeSinceCreation(member) : { start: at(0), end: at(HOURS) }),
      occupied,
    });
  }
  return ranges;
}

const at = (hour: number) => new Date(FIRST_HOUR + hour * HOUR_MS);

const minuteOf = (instant: number) => new Date(Math.floor(instant / MINUTE_MS) * MINUTE_MS);

function rangeSinceCreation({ createdAt }: Member): Pick<Range, 'start' | 'end'> {
  return { start: minuteOf(createdAt.getTime()), end: minuteOf(Date.now()) };
}

/** @returns what is not delivered after the patience, as sentences; empty: all of it is */
export async function findUndelivered(
  fleet: Fleet,
  api: ApiClient,
  ranges: ReadonlyMap<string, Range>,
  minutes: number,
): Promise<string[]> {
  const deadline = performance.now() + minutes * MINUTE_MS;
  let open: string[] = [];
  do {
    await sleep(2_000);
    open = [];
    for (const member of fleet.alive()) open.push(...(await settleOne(api, member, ranges.get(member.id)!)));
  } while (open.length > 0 && performance.now() < deadline);
  return open;
}

async function settleOne(api: ApiClient, member: Member, { start, end, occupied }: Range): Promise<string[]> {
  if (end <= start) return [];
  const range = `start=${start.toISOString()}&end=${end.toISOString()}`;
  const statuses = ['missing', 'failed', 'stale', 'running'].map((status) => `&status=${status}`).join('');
  const { results } = await api.done<{ results: { status: string; data_interval_end: string }[] }>(
    'GET',
    `/batch_exports/${member.id}/intervals/?${range}${statuses}&limit=100`,
  );
  const open = results.filter(({ data_interval_end: until }) => !occupied.has(Date.parse(until)));
  if (open.some(({ status }) => status !== 'running'))
    await api.askUntilAnswered('POST', `/batch_exports/${member.id}/backfill/`, {
      start_at: start.toISOString(),
      end_at: end.toISOString(),
      only: ['missing', 'failed', 'stale'],
    });
  return open.map(({ status, data_interval_end: until }) => `${member.event}: ${until} is ${status}`);
}
