/**
 * Promises of destinations, as data. The API and the documentation show them, and they choose the tests of the contract suite. By them the
 * engine decides whether it may deliver an interval again automatically.
 */

/**
 * The first delivery of an interval. `exactly_once`: each row is there once. `at_least_once`: a row may be there twice, under the same
 * uuid. `counts_only`: rows are counted and go nowhere.
 */
export const FIRST_DELIVERIES = ['exactly_once', 'at_least_once', 'counts_only'] as const;

/**
 * A later delivery of the interval. `replaces`: afterwards the destination holds the later one alone, and an equal one changes nothing.
 * `repeats_by_uuid`: its rows come in addition, and the receiver recognizes repeated rows by their uuid.
 */
export const REDELIVERIES = ['replaces', 'repeats_by_uuid', 'counts_only'] as const;

/**
 * The view of readers meanwhile. `never_half`: a whole delivery or none, for readers that follow the rules. `half_while_replaced`: a
 * re-delivery may be seen half-way. `half_while_sent`: rows are there before the interval is complete.
 */
export const READER_VIEWS = ['never_half', 'half_while_replaced', 'half_while_sent', 'no_rows'] as const;

export type Promises = {
  first: (typeof FIRST_DELIVERIES)[number];
  redelivery: (typeof REDELIVERIES)[number];
  readers: (typeof READER_VIEWS)[number];
};

/** Promises of the configurations whose fields have these values; those without fields apply to all others, and come last. */
export type ConditionalPromises = Promises & { when: Readonly<Record<string, string>> };

/** Promises of tables, and of files that are found through their manifest. */
export const REPLACED_AT_ONCE: Promises = { first: 'exactly_once', redelivery: 'replaces', readers: 'never_half' };

/** The promises in short. `effectively_once`: repeats leave the same content. `at_least_once`: a receiver may have to deduplicate. */
export const DELIVERY_PROMISES = ['effectively_once', 'at_least_once'] as const;

export function deliveryPromiseOf(promises: readonly Promises[]): (typeof DELIVERY_PROMISES)[number] {
  return promises.some(({ first }) => first === 'at_least_once') ? 'at_least_once' : 'effectively_once';
}

type Promising = {
  type: string;
  promises: readonly ConditionalPromises[];
  legacyDefaults?: Readonly<Record<string, unknown>>;
};

export function promisesOf(
  { type, promises, legacyDefaults }: Promising,
  config: Readonly<Record<string, unknown>>,
): Promises {
  const complete: Record<string, unknown> = { ...legacyDefaults, ...config };
  const found = promises.find(({ when }) => Object.entries(when).every(([field, value]) => complete[field] === value));
  if (!found) throw new Error(`${type} makes no promises for this configuration`);
  const { first, redelivery, readers } = found;
  return { first, redelivery, readers };
}
