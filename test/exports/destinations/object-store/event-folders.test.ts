import assert from 'node:assert/strict';
import {
  eventFolder,
  isEventFolder,
  MANIFESTS,
  MAX_EVENT_BYTES,
  OTHER_EVENTS,
} from '../../../../src/exports/destinations/object-store/event-folders.ts';
import type { Delivery } from '../../../../src/exports/destinations/delivery.ts';
import { checkPrefix, namesOf, type ObjectNames } from '../../../../src/exports/destinations/object-store/keys.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import { HOSTILE_NAMES } from '../../../support/events/hostile-names.ts';
import { seeded } from '../../../support/random.ts';

const ALPHABET = [...Array.from('aAbBzZ09._-~%/$ =\\{}'), 'ä', 'Ä', '語', '🛒', '\n', 'İ'];

function randomNames(count: number, seed: number): string[] {
  const random = seeded(seed);
  return Array.from({ length: count }, () => {
    const length = random.pick([1, 2, 3, 4, random.below(60), random.below(201)]);
    return Array.from({ length }, () => random.pick(ALPHABET))
      .join('')
      .slice(0, 200);
  });
}

/** As a file system that distinguishes neither capital letters nor forms of one letter. */
const folded = (text: string) => text.normalize('NFKC').toUpperCase().toLowerCase();

const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 1e6));
const NAMES = [...new Set([...HOSTILE_NAMES, ...randomNames(5_000, SEED)])].filter((name) => name.isWellFormed());

const INTERVAL = { start: '2024-02-29T23:00:00.000000Z', end: '2024-03-01T00:00:00.000000Z', model: 'events' };
const FILE = { format: 'JSONLines', compression: 'gzip', numbered: false } as const;
const RUN = '0b8a3c1e-5d0f-4b53-9d3c-0d8f2a7c6e11';

describe(`folders of events (SEED=${SEED})`, () => {
  for (const [capitals, same] of [
    ['distinct', (text: string) => text],
    ['unsure', folded],
  ] as const) {
    it(`differ for different names, where capital letters are ${capitals}`, () => {
      const byFolder = new Map<string, string>();
      for (const reserved of [OTHER_EVENTS, MANIFESTS]) byFolder.set(same(reserved), `reserved ${reserved}`);
      for (const name of NAMES) {
        const folder = same(eventFolder(name, capitals));
        assert.equal(byFolder.get(folder), undefined, `${JSON.stringify(name)}: ${folder}`);
        byFolder.set(folder, name);
      }
    });

    it(`are short, visible and of plain characters, where capital letters are ${capitals}`, () => {
      for (const name of NAMES) {
        const folder = eventFolder(name, capitals);
        assert.match(folder, /^[A-Za-z0-9$%~-][A-Za-z0-9$%._~-]*$/, JSON.stringify(name));
        assert.ok(folder.length <= MAX_EVENT_BYTES && !folder.endsWith('.'), folder);
        assert.ok(isEventFolder(folder));
      }
    });
  }

  it('are the name in percent-encoding, so that engines which decode partition values find it', () => {
    assert.equal(eventFolder('$pageview', 'distinct'), '$pageview');
    assert.equal(eventFolder('Order Completed', 'distinct'), 'Order%20Completed');
    assert.equal(eventFolder('Order Completed', 'unsure'), '%4Frder%20%43ompleted');
    assert.match(eventFolder('__other__', 'distinct'), /^%5F_other__~[0-9a-f]{32}$/);
    for (const name of NAMES) {
      const folder = eventFolder(name, 'distinct');
      const [head, hash] = decodeURIComponent(folder).split(/~(?=[0-9a-f]{32}$)/) as [string, string?];
      assert.ok(hash === undefined ? head === name : name.startsWith(head), folder);
    }
  });

  it('end with a hash where the name is too long, and are cut before an escape', () => {
    assert.match(eventFolder('語'.repeat(200), 'distinct'), /^(?:%[0-9A-F]{2})+~[0-9a-f]{32}$/);
    assert.match(eventFolder(`${'x'.repeat(165)}/${'y'.repeat(33)}`, 'distinct'), /^x{165}~[0-9a-f]{32}$/);
  });

  it('hold files that are known as the interval’s, and no others are', () => {
    const events = NAMES.map((event) => ({ event, parts: 1 }));
    for (const layout of ['stable', 'versioned'] as const) {
      const delivery = { ...INTERVAL, file: FILE, runId: RUN, events };
      const names = namesOf('web/event={event}-x/{day}', delivery, layout);
      const keys = events.map((_, index) => names.file(index));
      assert.equal(new Set(keys).size, keys.length);
      for (const key of keys) assert.ok(names.isFile(key) && names.isVersioned(key) === (layout === 'versioned'), key);
      assert.ok(!names.isFile(names.manifest) && names.isOfInterval(names.manifest));
      const [key] = keys as [string];
      for (const other of [
        key.replace('web/', 'app/'),
        key.replace('-x/', '/'),
        key.replace('event=', 'event=a/'),
        key.replace(/event=.*-x/, 'event=-x'),
        key.replace('/01/', '/02/'),
      ])
        assert.ok(!names.isFile(other), other);
    }
  });
});

const refused = (prefix: string, message: RegExp) =>
  assert.throws(
    () => checkPrefix(prefix),
    (error) => error instanceof InvalidInput && message.test(error.message) && error.attr === 'prefix',
  );

describe('names of files by event', () => {
  const events = [
    { event: '$pageview', parts: 2 },
    { event: 'Paid', parts: 1 },
    { event: null, parts: 1 },
  ];
  const named = (prefix: string, file: Pick<Delivery['file'], 'numbered'>, capitals?: 'unsure'): ObjectNames =>
    namesOf(checkPrefix(prefix), { ...INTERVAL, runId: RUN, events, file: { ...FILE, ...file } }, 'stable', capitals);

  it('are numbered within each event, and the rest has a folder of its own', () => {
    const names = named('{event}', { numbered: true });
    const stem = '20240229T230000Z-20240301T000000Z';
    assert.deepEqual(
      [0, 1, 2, 3].map((part) => names.file(part)),
      [`$pageview/${stem}-0`, `$pageview/${stem}-1`, `Paid/${stem}-0`, `__other__/${stem}-0`].map(
        (key) => `${key}.jsonl.gz`,
      ),
    );
    assert.deepEqual(
      [0, 2, 3].map((part) => names.event(part)),
      ['$pageview', 'Paid', null],
    );
    assert.equal(names.manifest, `__manifests__/${stem}_manifest.json`);
    assert.throws(() => names.file(4), /does not say which event part 4 holds/);
  });

  it('are numbered only where an event has several, so that they keep their names when another event grows', () => {
    const stem = '20240229T230000Z-20240301T000000Z';
    const names = named('{event}', { numbered: 'per_event' });
    assert.deepEqual(
      [0, 1, 2, 3].map((part) => names.file(part)),
      [`$pageview/${stem}-0`, `$pageview/${stem}-1`, `Paid/${stem}`, `__other__/${stem}`].map(
        (key) => `${key}.jsonl.gz`,
      ),
    );
    for (const part of [0, 1, 2, 3]) assert.ok(names.isFile(names.file(part)));
  });

  it('show no capital letters where they may not be distinguished', () => {
    assert.match(named('a/{event}', { numbered: false }, 'unsure').file(2), /^a\/%50aid\//);
  });

  it('fit into keys of every store, whatever the prefix', () => {
    const long = {
      ...INTERVAL,
      start: INTERVAL.start.replace('000000Z', '000001Z'),
      end: INTERVAL.end.replace('000000Z', '000001Z'),
    };
    const prefix = checkPrefix(`${`${'p'.repeat(230)}/`.repeat(3)}{event}`);
    const file = { format: 'Parquet', compression: 'snappy', numbered: true, codecInName: true } as const;
    const delivery = { ...long, runId: RUN, file, events: [{ event: '語'.repeat(200), parts: 10_000 }] };
    const key = namesOf(`${prefix}/date={start_date}/hour={start_hour}`, delivery, 'versioned').file(9_999);
    assert.ok(Buffer.byteLength(key) > 900 && Buffer.byteLength(key) <= 1024, String(Buffer.byteLength(key)));
    for (const one of key.split('/')) assert.ok(Buffer.byteLength(one) <= 255);
  });

  it('have a prefix that leaves room for the event, and contains it once', () => {
    assert.equal(checkPrefix('web/event={event}/'), 'web/event={event}');
    refused('{event}/{event}', /once/);
    refused(`${'p'.repeat(56)}{event}`, /255 bytes between slashes, of which \{event\} counts as 200/);
    refused(`${'p/'.repeat(349)}{event}`, /896 bytes, of which \{event\} counts as 200/);
  });
});
