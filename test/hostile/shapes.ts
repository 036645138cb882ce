/** Values as JSON, each of which is a different kind of work for who parses, walks, sorts, compares or writes it. */

export type Shape = { what: string; json: () => string };

const shape = (what: string, json: () => string): Shape => ({ what, json });
const value = (what: string, make: () => unknown): Shape => ({ what, json: () => JSON.stringify(make()) });

/** @param room bytes, about */
export function shapesOf(room: number): Shape[] {
  const half = Math.floor(room / 2);
  return [
    value('digits and a letter', () => `${'1'.repeat(room)}x`),
    value('digits', () => '1'.repeat(room)),
    shape('a number of many digits', () => '1'.repeat(room)),
    shape('a fraction of many digits', () => `0.${'1'.repeat(room)}`),
    shape('an exponent of many digits', () => `1e-${'1'.repeat(room)}`),
    shape('numbers that JavaScript reads as others', () => listed(room, '1.0')),
    shape('numbers of many places', () => listed(room, '0.1234567890123456789')),
    shape('numbers with exponents', () => listed(room, '1e308')),
    shape('numbers in 120 kB', () => listed(Math.min(room, 120_000), '1.0')),
    shape('long numbers in 120 kB', () => listed(Math.min(room, 120_000), '9'.repeat(20))),
    value('a version of many digits', () => `1.2.${'9'.repeat(room)}`),
    value('a version of many parts', () => `1.2.3${'.4'.repeat(half)}x`),
    value('a date of many digits', () => `2024-01-01T00:00:00.${'9'.repeat(room)}x`),
    value('a text of one letter', () => 'a'.repeat(room)),
    value('a text of two letters', () => 'ab'.repeat(half)),
    value('a text of capitals in turn', () => 'aA'.repeat(half)),
    value('a text of capitals that grow', () => 'İ'.repeat(half)),
    value('a text of sigmas', () => 'Σ '.repeat(room / 3)),
    value('a text of beyond the BMP', () => '🦊'.repeat(room / 4)),
    value('a text of 80 kB', () => 'ab'.repeat(Math.min(half, 40_000))),
    value('a text of 8 kB', () => 'ab'.repeat(4000)),
    value('spaces', () => ' '.repeat(room)),
    value('quotes and backslashes', () => '"\\'.repeat(room / 4)),
    shape('escapes', () => `"${String.raw`\u0041`.repeat(room / 6)}"`),
    shape('escapes of NUL', () => `"${String.raw`\u0000`.repeat(room / 6)}"`),
    shape('halves of pairs', () => `"${String.raw`\ud800`.repeat(room / 6)}"`),
    shape('a list of texts', () => JSON.stringify(filled(room, (index) => `item ${index}`))),
    shape('a list of short texts', () => listed(room, '"a"')),
    shape('a list of true', () => listed(room, 'true')),
    shape('a list of null', () => listed(room, 'null')),
    shape('a list of digits', () => listed(room, '1')),
    shape('a list of empty lists', () => listed(room, '[]')),
    shape('a list of empty objects', () => listed(room, '{}')),
    shape('a list of small objects', () => listed(room, '{"a":1}')),
    shape('a list of objects unlike each other', () => JSON.stringify(filled(room, (index) => ({ [`k${index}`]: 1 })))),
    shape('an object of many members', () => membersOf(room, (index) => index.toString(36))),
    shape('an object of many digits for names', () => membersOf(room, (index) => `${index * 7}`)),
    shape('an object of many names beyond the BMP', () => membersOf(room, (index) => `🦊${index.toString(36)}`)),
    shape('an object of long names that begin alike', () => membersOf(room, (index) => 'a'.repeat(1000) + index)),
    shape('an object of empty objects', () => membersOf(room, (index) => index.toString(36), '{}')),
    shape('one name again and again', () => `{${'"a":1,'.repeat(room / 6)}"a":1}`),
    shape('60 levels', () => nested('[', ']', 60)),
    shape('120 levels', () => nested('[', ']', 120)),
    shape('60 levels of objects, again and again', () => listed(room, nested('{"a":', '}', 58))),
    shape('100,000 levels', () => nested('[', ']', Math.min(100_000, half - 1))),
    shape('as many levels as there is room for', () => nested('[', ']', half - 1)),
    shape('levels of objects', () => nested('{"a":', '}', Math.floor(room / 6) - 1)),
  ];
}

/** The worst shape of each kind, for places where all of them would take too long. */
export function heavyShapesOf(room: number): Shape[] {
  return shapesOf(room).filter(({ what }) => HEAVY.has(what));
}

const HEAVY = new Set([
  'digits and a letter',
  'numbers in 120 kB',
  'numbers with exponents',
  'a text of two letters',
  'halves of pairs',
  'a list of short texts',
  'a list of empty objects',
  'a list of objects unlike each other',
  'an object of many members',
  'an object of many names beyond the BMP',
  'an object of empty objects',
  '60 levels of objects, again and again',
  'as many levels as there is room for',
]);

function short(index: number): string {
  return index.toString(36);
}

/** As many values as are taken, as large as there is room for: what is refused for its number is cheap. */
export function wideShapesOf(room: number, values: number): Shape[] {
  const bytes = Math.floor(room / values) - 6;
  const padded = (index: number, letter: string) => {
    const digits = index.toString(36);
    return letter.repeat(Math.max(0, Math.floor((bytes - digits.length) / Buffer.byteLength(letter)))) + digits;
  };
  const members = (name: (index: number) => string, json: string, count = values) =>
    `{${Array.from({ length: count }, (_, index) => `"${name(index)}":${json}`).join()}}`;
  return [
    { what: `${values} members`, json: () => members(short, '1') },
    { what: `${values} members of capitals`, json: () => members((index) => padded(index, 'A'), '1') },
    { what: `${values} members beyond the BMP`, json: () => members((index) => padded(index, '🦊'), '1') },
    { what: `${values} members with texts`, json: () => members(short, `"${'Aa'.repeat(bytes / 3)}"`) },
    { what: `${values / 2} members with objects`, json: () => members(short, '{}', Math.floor(values / 2)) },
    {
      what: `${values / 2} objects unlike each other`,
      json: () => {
        return `[${Array.from({ length: Math.floor(values / 2) }, (_, index) => `{"${padded(index, 'k')}":1}`).join()}]`;
      },
    },
    {
      what: `${values} texts`,
      json: () => JSON.stringify(Array.from({ length: values }, (_, index) => padded(index, 'T'))),
    },
    { what: `${values} exponents`, json: () => `[${Array.from({ length: values }, () => '1e20').join()}]` },
  ];
}

/** As many as there is room for. */
export function filled<T>(room: number, each: (index: number) => T): T[] {
  const sample = Buffer.byteLength(JSON.stringify(each(100_000))) + 1;
  return Array.from({ length: Math.floor(room / sample) }, (_, index) => each(index));
}

export function listed(room: number, item: string): string {
  const count = Math.floor(room / (item.length + 1));
  return `[${`${item},`.repeat(Math.max(0, count - 1))}${item}]`;
}

export function membersOf(room: number, name: (index: number) => string, json = '1'): string {
  const count = Math.floor(room / (Buffer.byteLength(name(100_000)) + json.length + 4));
  return `{${Array.from({ length: count }, (_, index) => `"${name(index)}":${json}`).join()}}`;
}

/** Written out: it may nest deeper than JSON.stringify goes. */
export function nested(open: string, close: string, depth: number): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}
