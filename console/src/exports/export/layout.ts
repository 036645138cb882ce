/**
 * Places intervals in the grid, the newest row on top. A row is a day of an hourly export, an hour of an export by minutes, a month of a
 * daily export, or a year of a weekly or monthly export.
 */
import type { IntervalMap } from './interval-map.ts';

export type Cadence = { interval: string; timezone: string };
export type Row = { label: string; /** Numbers of intervals; -1: none. */ cells: Int32Array };
export type Layout = {
  /** Unit of time of a column. */
  unit: string;
  columns: readonly string[];
  rows: readonly Row[];
  rowOf: Int32Array;
  columnOf: Int32Array;
};

type Rule = { unit: string; columns: readonly string[]; place(start: number): { key: string; column: number } };

const HOUR = 3_600_000;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const twoDigits = (value: number) => String(value).padStart(2, '0');
const numbered = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i));

export function layoutOf({ starts }: IntervalMap, cadence: Cadence): Layout {
  const { unit, columns, place } = ruleOf(cadence);
  const oldestFirst: { key: string; cells: Int32Array }[] = [];
  const [rowOf, columnOf] = [new Int32Array(starts.length), new Int32Array(starts.length)];
  starts.forEach((start, number) => {
    const { key, column } = place(start);
    let row = oldestFirst.at(-1);
    // With an earlier cadence several intervals may begin in one column, so they continue in another row.
    if (row?.key !== key || row.cells[column] !== -1) {
      row = { key, cells: new Int32Array(columns.length).fill(-1) };
      oldestFirst.push(row);
    }
    row.cells[column] = number;
    rowOf[number] = oldestFirst.length - 1;
    columnOf[number] = column;
  });
  const rows = oldestFirst.map(({ key, cells }) => ({ label: key, cells })).toReversed();
  return { unit, columns, rows, rowOf: rowOf.map((row) => rows.length - 1 - row), columnOf };
}

function ruleOf({ interval, timezone }: Cadence): Rule {
  const minutes = interval === 'hour' ? 60 : Number(/^every (\d+) minutes$/.exec(interval)?.[1]);
  if (minutes >= 60) {
    return {
      unit: 'Hour',
      columns: numbered(Math.ceil(1440 / minutes), (index) => twoDigits(Math.floor((index * minutes) / 60))),
      place: (start) => ({ key: dayName(start), column: Math.floor((start % (24 * HOUR)) / (minutes * 60_000)) }),
    };
  }
  if (minutes > 0) {
    return {
      unit: 'Minute',
      columns: numbered(Math.ceil(60 / minutes), (index) => twoDigits(index * minutes)),
      place: (start) => ({
        key: `${dayName(start)} ${twoDigits(new Date(start).getUTCHours())}:00`,
        column: Math.floor((start % HOUR) / (minutes * 60_000)),
      }),
    };
  }
  const format = new Intl.DateTimeFormat('en-CA', {
    timeZone: timezone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
  });
  const dateOf = (start: number) => format.format(start).split('-').map(Number);
  if (interval === 'month' || interval === 'week') {
    const isMonth = interval === 'month';
    return {
      unit: isMonth ? 'Month' : 'Week',
      columns: isMonth ? MONTHS : numbered(53, (index) => String(index + 1)),
      place(start) {
        const [year = 0, month = 1, day = 1] = dateOf(start);
        const week = Math.floor((Date.UTC(year, month - 1, day) - Date.UTC(year, 0, 1)) / (7 * 24 * HOUR));
        return { key: String(year), column: isMonth ? month - 1 : week };
      },
    };
  }
  return {
    unit: 'Day',
    columns: numbered(31, (index) => String(index + 1)),
    place(start) {
      const [year = 0, month = 1, day = 1] = dateOf(start);
      return { key: `${MONTHS[month - 1]} ${year}`, column: day - 1 };
    },
  };
}

function dayName(start: number): string {
  const date = new Date(start);
  const year = date.getUTCFullYear() === new Date().getUTCFullYear() ? '' : ` ${date.getUTCFullYear()}`;
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${year}`;
}

/** @returns the number of the interval that arrow keys lead to */
export function neighbour({ rows, rowOf, columnOf }: Layout, from: number, key: string, page: number): number {
  const total = rowOf.length;
  const inRow = (row: number): number => {
    const { cells } = rows[Math.max(0, Math.min(rows.length - 1, row))]!;
    const taken = [...cells.keys()].filter((column) => cells[column] !== -1);
    const nearest = taken.sort((a, b) => Math.abs(a - columnOf[from]!) - Math.abs(b - columnOf[from]!))[0]!;
    return cells[nearest]!;
  };
  const row = rowOf[from]!;
  const inThisRow = rows[row]!.cells.filter((number) => number !== -1);
  const moves: Record<string, () => number> = {
    ArrowLeft: () => Math.max(0, from - 1),
    ArrowRight: () => Math.min(total - 1, from + 1),
    ArrowUp: () => inRow(row - 1),
    ArrowDown: () => inRow(row + 1),
    PageUp: () => inRow(row - page),
    PageDown: () => inRow(row + page),
    Home: () => inThisRow[0]!,
    End: () => inThisRow.at(-1)!,
  };
  return moves[key]?.() ?? from;
}
