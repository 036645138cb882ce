/**
 * Variables of a prefix, in braces. Each has its value for a data interval, and every text that it can become, by which two prefixes are
 * compared before anything is written.
 */
import { parseIso, toIsoMicros } from '../../../platform/time/iso.ts';
import type { Delivery } from '../delivery.ts';
import { EVENT_CHARACTERS, MANIFESTS } from './event-folders.ts';

/** `event`: what stands for `{event}`; the manifest's if absent. */
export type PrefixInterval = Pick<Delivery, 'start' | 'end' | 'model'> & { event?: string };

/** The characters of one position of a text. */
export type Characters = string;

type Variable = {
  value(interval: PrefixInterval): string;
  /** All shapes of the value, each a list of positions. Empty: the value does not depend on the interval. */
  shapes: readonly (readonly Characters[])[];
  /** Whether a position stands for one character or more of the kind. */
  repeats?: true;
  /** Whether only path styles contain it: a configured prefix may not. */
  isOfPathStyle?: true;
};

const DIGIT = '0123456789';
const SIXTIETHS = [['012345', DIGIT]];
const WHOLE_SECONDS = [...repeat(DIGIT, 8), 'T', ...repeat(DIGIT, 6)];
const INSTANTS = [
  [...WHOLE_SECONDS, 'Z'],
  ...[1, 2, 3, 4, 5, 6].map((digits) => [...WHOLE_SECONDS, '.', ...repeat(DIGIT, digits), 'Z']),
];

/** Variables by name; parts of a date are those of the interval's end, in UTC, except where the name says `start`. */
export const VARIABLES: Readonly<Record<string, Variable>> = {
  year: { value: ({ end }) => end.slice(0, 4), shapes: [repeat(DIGIT, 4)] },
  month: {
    value: ({ end }) => end.slice(5, 7),
    shapes: [
      ['0', '123456789'],
      ['1', '012'],
    ],
  },
  day: {
    value: ({ end }) => end.slice(8, 10),
    shapes: [
      ['0', '123456789'],
      ['12', DIGIT],
      ['3', '01'],
    ],
  },
  hour: {
    value: ({ end }) => end.slice(11, 13),
    shapes: [
      ['01', DIGIT],
      ['2', '0123'],
    ],
  },
  minute: { value: ({ end }) => end.slice(14, 16), shapes: SIXTIETHS },
  second: { value: ({ end }) => end.slice(17, 19), shapes: SIXTIETHS },
  start_date: {
    value: ({ start }) => start.slice(0, 10),
    shapes: [[...repeat(DIGIT, 4), '-', '01', DIGIT, '-', '0123', DIGIT]],
    isOfPathStyle: true,
  },
  start_hour: { value: ({ start }) => start.slice(11, 13), shapes: [['012', DIGIT]], isOfPathStyle: true },
  table: { value: ({ model }) => model, shapes: [] },
  data_interval_start: { value: ({ start }) => compactInstant(start), shapes: INSTANTS },
  data_interval_end: { value: ({ end }) => compactInstant(end), shapes: INSTANTS },
  event: { value: ({ event = MANIFESTS }) => event, shapes: [[EVENT_CHARACTERS]], repeats: true },
};

/** `2024-03-21T00:00:00.000000Z` to `20240321T000000Z`; a fraction other than zero stays. */
export function compactInstant(instant: string): string {
  const [whole, fraction = ''] = instant.replace(/[-:Z]/g, '').split('.');
  const digits = fraction.replace(/(?<!0)0+$/, '');
  return digits === '' ? `${whole}Z` : `${whole}.${digits}Z`;
}

const COMPACT = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(?:\.(\d{1,6}))?Z$/;

/** The inverse of `compactInstant`. @returns undefined for anything else */
export function instantOfCompact(text: string | undefined): string | undefined {
  const [, year, month, day, hour, minute, second, fraction = ''] = COMPACT.exec(text ?? '') ?? [];
  if (year === undefined) return undefined;
  const instant = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.padEnd(6, '0')}Z`;
  const at = parseIso(instant);
  return at !== undefined && toIsoMicros(at) === instant ? instant : undefined;
}

function repeat(characters: Characters, times: number): Characters[] {
  return Array.from({ length: times }, () => characters);
}
