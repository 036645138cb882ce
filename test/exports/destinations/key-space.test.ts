import assert from 'node:assert/strict';
import { overlaps, parseKeySpace, withModel } from '../../../src/exports/destinations/key-space.ts';

const PROJECT = 'local:7/';
const overlap = (one: string, other: string) => {
  const [first, second] = [parseKeySpace(one), parseKeySpace(other)];
  const found = overlaps(first, second);
  assert.equal(overlaps(second, first), found, 'the order does not matter');
  return found;
};

describe('key spaces', () => {
  for (const [one, other] of [
    ['web', 'web'],
    ['web/{year}', 'web/2025'],
    ['web/{year}/{month}', 'web/2025/12'],
    ['web/{year}{month}', 'web/{month}{year}'],
    ['web/{day}', 'web/{hour}'],
    ['{data_interval_start}', '20250101T000000Z'],
    ['{data_interval_end}', '20250101T000000.25Z'],
    ['{data_interval_start}', '{data_interval_end}'],
    ['a{year}', 'a{hour}{minute}'],
    ['x{unknown}', 'x{unknown}'],
    ['web/date={start_date}/hour={start_hour}', 'web/date=2026-11-22/hour=13'],
    ['web/date={start_date}/hour={start_hour}', 'web/date={year}-{month}-{day}/hour={hour}'],
    ['web/{event}', 'web/paid'],
    ['web/{event}', 'web/__manifests__'],
    ['web/event={event}/{year}', 'web/event=a.b/2025'],
    ['{event}', '{year}'],
    ['a{event}', '{event}a'],
  ] as const) {
    it(`have keys in common: ${one} and ${other}`, () => {
      assert.ok(overlap(PROJECT + one, PROJECT + other));
    });
  }

  for (const [one, other] of [
    ['web', 'app'],
    ['web', 'web/2025'],
    ['web/{year}', 'web/{year}/{month}'],
    ['web/{year}', 'web/25'],
    ['web/{month}', 'web/13'],
    ['web/{day}', 'web/32'],
    ['web/{hour}', 'web/24'],
    ['web/{minute}', 'web/60'],
    ['web/{year}', 'web/{month}'],
    ['{data_interval_start}', '20250101T000000.1234567Z'],
    ['{year}', 'year'],
    ['web/date={start_date}/hour={start_hour}', 'web'],
    ['web/date={start_date}/hour={start_hour}', 'app/date={start_date}/hour={start_hour}'],
    ['web/date={start_date}/hour={start_hour}', 'web/date=2026-11-22/hour=33'],
    ['web/{event}', 'web'],
    ['web/{event}', 'web/a/b'],
    ['web/{event}', 'web/a b'],
    ['web/event={event}', 'web/event='],
    ['a{event}b', 'ab'],
    ['web/{event}', 'app/{event}'],
  ] as const) {
    it(`have no keys in common: ${one} and ${other}`, () => {
      assert.ok(!overlap(PROJECT + one, PROJECT + other));
    });
  }

  it('are compared within one store only', () => {
    assert.ok(!overlap('local:7/web', 'local:8/web'));
    assert.ok(!overlap('s3:https://a.example/b/web', 's3:https://a.example/c/web'));
    assert.ok(!overlap('s3:https://a.example/b/web', 's3:https://c.example/b/web'));
    assert.ok(overlap('s3:https://a.example/b/', 's3:https://a.example/b/'));
    assert.ok(!overlap('azure:https://a.example/account#b/web', 'azure:https://a.example/other#b/web'));
    assert.ok(!overlap('azure:https://a.example/account#b/web', 'azure:https://a.example/account#c/web'));
    assert.ok(overlap('azure:https://a.example/account#b/{year}', 'azure:https://a.example/account#b/2025'));
  });

  it('know the stores of Amazon by any of their names', () => {
    assert.ok(overlap('s3:aws/bucket/{year}', 's3:https://s3.eu-central-1.amazonaws.com/bucket/2025'));
    assert.ok(!overlap('s3:aws/bucket/web', 's3:https://amazonaws.com.example/bucket/web'));
  });

  it('of tables are equal or different', () => {
    assert.ok(overlap('postgres:db:5432/one/public.{year}', 'postgres:db:5432/one/public.{year}'));
    assert.ok(!overlap('postgres:db:5432/one/public.{year}', 'postgres:db:5432/one/public.2025'));
  });

  it('name the model of their export', () => {
    assert.equal(withModel('{table}/{year}/{table}', 'persons'), 'persons/{year}/persons');
  });

  it('of the longest prefixes are compared at once', () => {
    const longest = '{data_interval_start}'.repeat(42);
    const startedMs = performance.now();
    for (let times = 0; times < 100; times++) assert.ok(overlap(PROJECT + longest, PROJECT + longest));
    assert.ok(!overlap(PROJECT + longest, `${PROJECT}${longest}{year}`));
    assert.ok(performance.now() - startedMs < 30_000);
  });
});
