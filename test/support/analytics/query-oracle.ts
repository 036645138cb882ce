/**
 * Expected answers of queries, computed in plain JavaScript from the stored rows, without the product's code. It finds intervals by
 * the local time of each hour, and funnels by trying every entry.
 */
export type StoredRow = {
  uuid: string;
  event: string;
  /** The event's current person. */
  person: string;
  /** Milliseconds since 1970. */
  at: number;
  properties: Record<string, unknown>;
  personProperties: Record<string, unknown>;
};

export type Filter = { key: string; type: 'event' | 'person'; operator: string; value?: unknown };
export type Node = { event: string | null; math?: string; math_property?: string; properties?: Filter[] };
export type Dates = { timeZone: string; from: string; to: string };
type Interval = 'hour' | 'day' | 'week' | 'month';

const HOUR = 3_600_000;
const calendars = new Map<string, Intl.DateTimeFormat>();
const localTimes = new Map<string, { date: string; hour: string }>();

/** The local date and hour in the time zone. */
function localTime(at: number, timeZone: string): { date: string; hour: string } {
  const known = localTimes.get(`${timeZone} ${at}`);
  if (known) return known;
  const options = { hourCycle: 'h23', dateStyle: 'short', timeStyle: 'short', timeZone } as const;
  const calendar = calendars.get(timeZone) ?? new Intl.DateTimeFormat('sv-SE', options);
  calendars.set(timeZone, calendar);
  const [date = '', time = ''] = calendar.format(at).split(' ');
  const local = { date, hour: time.slice(0, 2) };
  localTimes.set(`${timeZone} ${at}`, local);
  return local;
}

/** Milliseconds from the beginning of an hour of UTC to that of an hour of the zone: of the zones in tests, only this one is half an hour off. */
const pastHour = (timeZone: string) => (timeZone === 'Asia/Kolkata' ? HOUR / 2 : 0);

/** Names the interval that an instant is in; names sort chronologically. An hour that occurs twice, when clocks go back, has two names. */
function nameOf(at: number, interval: Interval, timeZone: string): string {
  const { date, hour } = localTime(at, timeZone);
  if (interval === 'day') return date;
  if (interval === 'month') return date.slice(0, 7);
  if (interval === 'week') {
    const noon = new Date(`${date}T12:00:00Z`);
    return new Date(noon.getTime() - noon.getUTCDay() * 24 * HOUR).toISOString().slice(0, 10);
  }
  const past = pastHour(timeZone);
  const start = Math.floor((at - past) / HOUR) * HOUR + past;
  return `${date} ${hour} ${String(start).padStart(16, '0')}`;
}

/** Every interval between two dates, both included; the first one is complete. */
export function intervalsOf({ timeZone, from, to }: Dates, interval: Interval): string[] {
  const names = new Set<string>();
  const first = firstNameOf(from, interval);
  const before = { hour: 1, day: 1, week: 8, month: 32 }[interval] * 24 * HOUR;
  for (let at = Date.parse(from) - before + pastHour(timeZone); at < Date.parse(to) + 2 * 24 * HOUR; at += HOUR) {
    const name = nameOf(at, interval, timeZone);
    if (name >= first && localTime(at, timeZone).date <= to) names.add(name);
  }
  return [...names].toSorted();
}

function firstNameOf(date: string, interval: Interval): string {
  return nameOf(Date.parse(`${date}T00:00:00Z`), interval, 'UTC').slice(0, interval === 'hour' ? 10 : undefined);
}

function propertyOf(row: StoredRow, { key, type }: Pick<Filter, 'key' | 'type'>): unknown {
  return (type === 'event' ? row.properties : row.personProperties)[key];
}

export function isMatch(row: StoredRow, filters: readonly Filter[] = []): boolean {
  return filters.every(({ key, type, operator, value }) => {
    const own = propertyOf(row, { key, type });
    const isSet = (own ?? null) !== null;
    const texts = (Array.isArray(value) ? value : [value]).map((one) => String(one).toLowerCase());
    switch (operator) {
      case 'is_set':
        return isSet;
      case 'is_not_set':
        return !isSet;
      case 'exact':
        return isSet && texts.includes(String(own).toLowerCase());
      case 'is_not':
        return !isSet || !texts.includes(String(own).toLowerCase());
      case 'icontains':
        return isSet && String(own).toLowerCase().includes(texts[0]!);
      default: {
        const number = numberOf(own);
        return number !== undefined && (operator === 'gt' ? number > Number(value) : number < Number(value));
      }
    }
  });
}

function numberOf(value: unknown): number | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  return value === '' || Number.isNaN(Number(value)) ? undefined : Number(value);
}

const matchesNode = (row: StoredRow, { event, properties }: Node) =>
  (event === null || row.event === event) && isMatch(row, properties);

function amountOf(rows: readonly StoredRow[], { math = 'total', math_property: name }: Node): number {
  if (math === 'total') return rows.length;
  if (math === 'dau') return new Set(rows.map(({ person }) => person)).size;
  const numbers = rows.map(({ properties }) => numberOf(properties[name!])).filter((one) => one !== undefined);
  if (numbers.length === 0) return 0;
  if (math === 'min') return Math.min(...numbers);
  if (math === 'max') return Math.max(...numbers);
  if (math === 'median') return percentileOf(numbers, 0.5);
  if (math.startsWith('p')) return percentileOf(numbers, Number(math.slice(1)) / 100);
  const sum = numbers.reduce((total, one) => total + one, 0);
  return math === 'sum' ? sum : sum / numbers.length;
}

/** Interpolates linearly between the two nearest numbers. */
function percentileOf(numbers: readonly number[], fraction: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const rank = fraction * (sorted.length - 1);
  const [low, high] = [sorted[Math.floor(rank)]!, sorted[Math.ceil(rank)]!];
  return low + (rank - Math.floor(rank)) * (high - low);
}

export type TrendsQuery = {
  series: Node[];
  interval: Interval;
  shape: 'intervals' | 'cumulative' | 'total';
  /** Whether all series show the same breakdown values. */
  isJoint?: boolean;
  breakdown?: { key: string; type: 'event' | 'person'; limit: number } | undefined;
  properties: Filter[];
  dates: Dates;
};

export type Line = { series: number; value: string | null; numbers: number[] };

/** One line for each series and breakdown value; the line of a total has one number. */
export function trendsOf(rows: readonly StoredRow[], query: TrendsQuery): Line[] {
  const { timeZone } = query.dates;
  const interval = query.shape === 'total' ? 'day' : query.interval;
  const names = intervalsOf(query.dates, interval);
  const indexByName = new Map(names.map((name, index) => [name, index]));
  const counted = rows
    .filter((row) => isMatch(row, query.properties))
    .map((row) => ({ row, interval: indexByName.get(nameOf(row.at, interval, timeZone)) }))
    .filter((one): one is Counted => one.interval !== undefined)
    .filter(({ row }) => localTime(row.at, timeZone).date <= query.dates.to);
  const rowsBySeries = query.series.map((node) => ({ node, own: counted.filter(({ row }) => matchesNode(row, node)) }));
  return rowsBySeries.flatMap((part, series) => {
    const ranking = rankingOf(query.isJoint ? rowsBySeries : [part], query);
    return groupsOf(part.own, ranking, query).map(({ value, members }) => ({
      series,
      value,
      numbers: numbersOf(members, part.node, query.shape, names.length),
    }));
  });
}

/** A row, and the index of the interval that counts it. */
type Counted = { row: StoredRow; interval: number };

function groupByBreakdown(own: readonly Counted[], { breakdown }: TrendsQuery): Map<string, Counted[]> {
  return Map.groupBy(own, ({ row }) => {
    const value = propertyOf(row, breakdown!);
    return value === undefined || value === null ? 'none' : `=${value as string | number | boolean}`;
  });
}

/** The values with the largest totals over all parts: each has a line of its own. */
function rankingOf(parts: readonly { node: Node; own: Counted[] }[], query: TrendsQuery): string[] {
  if (!query.breakdown) return [];
  const totals = new Map<string, number>();
  for (const { node, own } of parts) {
    for (const [value, members] of groupByBreakdown(own, query)) {
      const rows = members.map(({ row }) => row);
      totals.set(value, (totals.get(value) ?? 0) + amountOf(rows, node));
    }
  }
  return [...totals.keys()]
    .toSorted((a, b) => totals.get(b)! - totals.get(a)! || orderOf(a, b))
    .slice(0, query.breakdown.limit);
}

function groupsOf(
  own: Counted[],
  ranking: readonly string[],
  query: TrendsQuery,
): { value: string | null; members: Counted[] }[] {
  if (!query.breakdown) return [{ value: null, members: own }];
  const values = groupByBreakdown(own, query);
  const alone = ranking.flatMap((value) => (values.has(value) ? [{ value, members: values.get(value)! }] : []));
  const others = [...values].flatMap(([value, members]) => (ranking.includes(value) ? [] : members));
  return [...alone, ...(others.length > 0 ? [{ value: 'other', members: others }] : [])];
}

/** Orders by bytes, with the missing value last. */
function orderOf(a: string, b: string): number {
  if (a === 'none' || b === 'none') return a === 'none' ? 1 : -1;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

function numbersOf(members: Counted[], node: Node, shape: TrendsQuery['shape'], count: number): number[] {
  const rowsBetween = (first: number, last: number) =>
    members.filter(({ interval }) => interval >= first && interval <= last).map(({ row }) => row);
  if (shape === 'total') return [amountOf(rowsBetween(0, count), node)];
  return Array.from({ length: count }, (_, interval) =>
    amountOf(rowsBetween(shape === 'cumulative' ? 0 : interval, interval), node),
  );
}

/** Number of persons that reached each step. */
export function funnelOf(
  rows: readonly StoredRow[],
  { steps, windowMs, properties, dates }: { steps: Node[]; windowMs: number; properties: Filter[]; dates: Dates },
): number[] {
  const inRange = rows.filter(({ at }) => {
    const { date } = localTime(at, dates.timeZone);
    return date >= dates.from && date <= dates.to;
  });
  const people = Map.groupBy(
    inRange.filter((row) => isMatch(row, properties)),
    ({ person }) => person,
  );
  const stepCounts = [...people.values()].map((events) => countStepsReached(events.toSorted(inTime), steps, windowMs));
  return steps.map((_, step) => stepCounts.filter((one) => one > step).length);
}

const inTime = (a: StoredRow, b: StoredRow) => a.at - b.at || (a.uuid < b.uuid ? -1 : 1);

/** Tries every entry: each step takes the next matching event. */
function countStepsReached(events: readonly StoredRow[], steps: readonly Node[], windowMs: number): number {
  const stepsByEntry = events.map((entry, index) => {
    if (!matchesNode(entry, steps[0]!)) return 0;
    let done = 1;
    for (const next of events.slice(index + 1)) {
      if (done < steps.length && next.at <= entry.at + windowMs && matchesNode(next, steps[done]!)) done++;
    }
    return done;
  });
  return Math.max(0, ...stepsByEntry);
}

/** For each interval, the number of persons, and how many of them returned in each later interval. */
export function retentionOf(
  rows: readonly StoredRow[],
  query: {
    target: Node;
    returning: Node;
    isFirstTime: boolean;
    interval: Interval;
    count: number;
    properties: Filter[];
    dates: Dates;
  },
): number[][] {
  const { target, returning, interval, count, dates } = query;
  const back = { hour: 3, day: count + 2, week: 7 * (count + 1), month: 31 * (count + 1) }[interval];
  const from = new Date(Date.parse(dates.to) - back * 24 * HOUR).toISOString().slice(0, 10);
  const names = intervalsOf({ ...dates, from }, interval).slice(-count);
  const known = rows.filter((row) => isMatch(row, query.properties));
  const people = [...Map.groupBy(known, ({ person }) => person).values()].map((events) => ({
    targets: intervalNamesOf(
      events.filter((row) => matchesNode(row, target)),
      query.isFirstTime,
    ),
    returns: intervalNamesOf(
      events.filter((row) => matchesNode(row, returning)),
      false,
    ),
  }));

  function intervalNamesOf(events: readonly StoredRow[], onlyFirst: boolean): Set<string> {
    const sorted = events.toSorted(inTime).map(({ at }) => nameOf(at, interval, dates.timeZone));
    return new Set(onlyFirst ? sorted.slice(0, 1) : sorted);
  }
  return names.map((name, index) => {
    const there = people.filter(({ targets }) => targets.has(name));
    return names.slice(index).map((later, after) => {
      return after === 0 ? there.length : there.filter(({ returns }) => returns.has(later)).length;
    });
  });
}
