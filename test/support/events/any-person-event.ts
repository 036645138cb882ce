/** Random events of persons. */
import fc from 'fast-check';
import type { PersonEvent } from './person-memory.ts';

const value = fc.constantFrom<unknown[]>(1, 2, 'x', null, true, [1, { b: 1, a: 2 }], [1, { a: 2, b: 1 }], {});
const name = fc.constantFrom(
  'x',
  'y',
  '$browser',
  '$initial_browser',
  'utm_source',
  '__proto__',
  'constructor',
  'toJSON',
);
/** `Object.fromEntries` defines properties, so `__proto__` is an ordinary name. */
const properties = fc.array(fc.tuple(name, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));
const copiedName = fc.constantFrom('$browser', '$current_url', '$geoip_city_name', 'utm_source', '_kx');
const eventName = fc.constantFrom(
  'paid',
  '$pageview',
  '$set',
  '$exception',
  '$identify',
  '$identify',
  '$create_alias',
  '$merge_dangerously',
);

const mostly = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2, nil: undefined });

/** Events that often name each other's ids, so they cause all kinds of merges, refused merges and changes. */
export function anyPersonEvent(distinctIds: readonly string[]): fc.Arbitrary<PersonEvent> {
  const distinctId = fc.constantFrom(...distinctIds);
  return fc
    .record({
      event: eventName,
      distinctId,
      timestamp: fc.bigInt({ min: 0n, max: 50n }),
      other: mostly(distinctId),
      set: mostly(properties),
      setOnce: mostly(properties),
      unset: mostly(fc.array(name, { maxLength: 2 })),
      copied: mostly(fc.dictionary(copiedName, value)),
      personless: fc.integer({ min: 0, max: 9 }).map((one) => one === 0),
    })
    .map(({ other, set, setOnce, unset, copied, personless, ...rest }) => ({
      ...rest,
      properties: {
        ...copied,
        ...(other !== undefined && { alias: other, $anon_distinct_id: other }),
        ...(set && { $set: set }),
        ...(setOnce && { $set_once: setOnce }),
        ...(unset && { $unset: unset }),
        ...(personless && { $process_person_profile: false }),
      },
    }));
}
