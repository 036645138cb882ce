import assert from 'node:assert/strict';
import type { Delivery } from '../../../../src/exports/destinations/delivery.ts';
import { InvalidInput } from '../../../../src/platform/errors.ts';
import {
  checkPrefix,
  fileKindOf,
  inPathStyle,
  namesOf,
} from '../../../../src/exports/destinations/object-store/keys.ts';
import { compactInstant } from '../../../../src/exports/destinations/object-store/prefix-variables.ts';

const DELIVERY = {
  start: '2024-02-29T23:00:00.000000Z',
  end: '2024-03-01T00:00:00.000000Z',
  model: 'events',
  file: { format: 'JSONLines', compression: 'zstd', numbered: true },
  runId: '0b8a3c1e-5d0f-4b53-9d3c-0d8f2a7c6e11',
} as const;

const nameOf = (file: Delivery['file']) => namesOf('', { ...DELIVERY, file }, 'stable').file(0);

describe('names of objects', () => {
  it('have only characters that every store and file system accepts', () => {
    const names = namesOf('a/{year}/{month}/{day}/{hour}{minute}{second}/{table}', DELIVERY, 'stable');
    assert.equal(names.file(12), 'a/2024/03/01/000000/events/20240229T230000Z-20240301T000000Z-12.jsonl.zst');
    assert.equal(names.manifest, 'a/2024/03/01/000000/events/20240229T230000Z-20240301T000000Z_manifest.json');
    assert.match(namesOf('{data_interval_start}_{data_interval_end}', DELIVERY, 'stable').file(0), /^[\w./-]+$/);
  });

  it('are in folders of the start’s date and hour in UTC, whatever the interval’s length, where the path style is hive', () => {
    const hive = (prefix: string, start: string, end: string) =>
      namesOf(inPathStyle(checkPrefix(prefix), 'hive'), { ...DELIVERY, start, end }, 'stable').manifest;
    assert.equal(
      hive('{table}/', DELIVERY.start, DELIVERY.end),
      'events/date=2024-02-29/hour=23/20240229T230000Z-20240301T000000Z_manifest.json',
    );
    assert.equal(
      hive('', '2026-11-22T13:05:00.000000Z', '2026-11-22T13:10:00.000000Z'),
      'date=2026-11-22/hour=13/20261122T130500Z-20261122T131000Z_manifest.json',
    );
    // A week from midnight in Berlin.
    assert.equal(
      hive('web', '2026-03-22T23:00:00.000000Z', '2026-03-29T22:00:00.000000Z'),
      'web/date=2026-03-22/hour=23/20260322T230000Z-20260329T220000Z_manifest.json',
    );
    for (const style of ['flat', undefined] as const) assert.equal(inPathStyle('a/{day}', style), 'a/{day}');
    assert.throws(() => checkPrefix('a/{start_date}'), InvalidInput);
  });

  it('carry no number where the interval is one file', () => {
    const one = { ...DELIVERY, file: { ...DELIVERY.file, numbered: false, compression: null } };
    assert.equal(namesOf('', one, 'stable').file(0), '20240229T230000Z-20240301T000000Z.jsonl');
  });

  it('keep a fraction of a second only where there is one', () => {
    assert.equal(compactInstant('2015-05-17T10:00:00.000000Z'), '20150517T100000Z');
    assert.equal(compactInstant('2015-05-17T10:00:00.000010Z'), '20150517T100000.00001Z');
  });

  it('are distinguished from those of other intervals and other things', () => {
    const names = namesOf('a', DELIVERY, 'stable');
    assert.ok(names.isFile('a/20240229T230000Z-20240301T000000Z.jsonl'));
    assert.ok(names.isFile('a/20240229T230000Z-20240301T000000Z-3.jsonl.gz'));
    for (const other of [
      names.manifest,
      'a/20240229T230000Z-20240301T000000Z-3.jsonl.exe',
      'a/20240229T230000Z-20240301T000000Z-3/../../x.jsonl',
      'a/20240229T220000Z-20240229T230000Z.jsonl',
      'b/20240229T230000Z-20240301T000000Z.jsonl',
      '../a/20240229T230000Z-20240301T000000Z.jsonl',
    ]) {
      assert.ok(!names.isFile(other), other);
    }
  });

  it('say nothing of the codec inside Parquet, unless they are to', () => {
    const parquet = { format: 'Parquet', compression: 'zstd', numbered: false } as const;
    assert.equal(nameOf(parquet), '20240229T230000Z-20240301T000000Z.parquet');
    assert.equal(nameOf({ ...parquet, codecInName: true }), '20240229T230000Z-20240301T000000Z.parquet.zst');
    assert.equal(
      nameOf({ ...parquet, compression: 'snappy', codecInName: true }),
      '20240229T230000Z-20240301T000000Z.parquet.sz',
    );
    assert.equal(nameOf({ ...parquet, format: 'CSV' }), '20240229T230000Z-20240301T000000Z.csv.zst');
  });

  it('show format and compression', () => {
    assert.deepEqual(fileKindOf('x.parquet'), { format: 'Parquet', compression: null });
    assert.deepEqual(fileKindOf('x-1.parquet.lz4'), { format: 'Parquet', compression: 'lz4' });
    assert.deepEqual(fileKindOf('x.csv.gz'), { format: 'CSV', compression: 'gzip' });
    assert.deepEqual(fileKindOf('x-0.jsonl.br'), { format: 'JSONLines', compression: 'brotli' });
    assert.deepEqual(fileKindOf('x.jsonl'), { format: 'JSONLines', compression: null });
  });

  it('begin with the prefix, whose last slash is optional', () => {
    assert.equal(checkPrefix('a/b/'), 'a/b');
    assert.equal(checkPrefix(''), '');
  });

  it('hold the run where they are versioned, all but that of the manifest', () => {
    const [names, stable] = [namesOf('a', DELIVERY, 'versioned'), namesOf('a', DELIVERY, 'stable')];
    const file = `a/20240229T230000Z-20240301T000000Z-${DELIVERY.runId}-12.jsonl.zst`;
    assert.equal(names.file(12), file);
    assert.equal(names.manifest, stable.manifest);
    for (const either of [names, stable]) {
      assert.ok(either.isFile(file) && either.isVersioned(file));
      assert.ok(either.isFile(stable.file(12)) && !either.isVersioned(stable.file(12)));
      assert.ok(!either.isFile(names.manifest) && !either.isVersioned(names.manifest));
    }
  });
});
