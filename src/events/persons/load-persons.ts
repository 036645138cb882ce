/** Reads the persons of a group's events in the ingest transaction; Postgres sends only those that differ from the ones in memory. */
import { quoteTextArray, type Fields } from '../../platform/db/simple-query.ts';
import type { KnownPersons } from './known-persons.ts';
import type { LoadedPerson } from './person.ts';
import { StoredProperties } from './stored-properties.ts';

/** Sends statements; returns the rows of all of them. */
export type Ask = (sql: string) => Promise<Fields[]>;

/** Persons by distinct id; ids without a person are missing. */
export type Persons = ReadonlyMap<string, LoadedPerson>;

type Reader = { ask: Ask; projectId: number; knownPersons: KnownPersons };

type LoadedPersons = {
  /** Row that the statements `before` answered with. */
  answer: Fields;
  persons: Persons;
  /** Whether each distinct id has the person that it was expected to have, or none if none was expected. */
  areAsExpected: boolean;
  /** Whether events refer to states of persons, and carry no copies. */
  refersToStates: boolean;
};

/**
 * @param before statements that answer with one row, to be sent in the same round trip
 * @param expected for every distinct id, the person that it had before; undefined: unknown
 */
export async function loadPersons(
  { ask, projectId, knownPersons }: Reader,
  before: string,
  expected: ReadonlyMap<string, LoadedPerson | undefined>,
): Promise<LoadedPersons> {
  const [answer = [], ...rows] = await ask(`${before}; ${personsSql(projectId, expected)}`);
  const { read, unchanged, refersToStates } = readPersons(rows);
  for (const [distinctId, person] of read) knownPersons.keep(projectId, distinctId, person);
  const persons = new Map(read);
  for (const [distinctId, person] of expected) {
    if (person && !read.has(distinctId)) persons.set(distinctId, person);
  }
  if (persons.size === read.size + unchanged) {
    return { answer, persons, areAsExpected: read.size === 0, refersToStates };
  }
  // A person that was expected is gone.
  const nobody = new Map([...expected.keys()].map((distinctId) => [distinctId, undefined]));
  const { read: present } = readPersons(await ask(personsSql(projectId, nobody)));
  return { answer, persons: present, areAsExpected: false, refersToStates };
}

function personsSql(projectId: number, expected: ReadonlyMap<string, LoadedPerson | undefined>): string {
  const stamps = Array.from(expected.values(), (person) => person?.stamp ?? NO_STAMP);
  const states = Array.from(expected.values(), (person) => person?.stateVersion ?? 'null');
  return `select * from persons_with_states_of(${projectId}, ${quoteTextArray([...expected.keys()])}, '{${stamps.join(',')}}',
    '{${states.join(',')}}')`;
}

const NO_STAMP = '0';

/** `unchanged`: the number of persons that do not differ from the expected ones. */
type ReadPersons = { read: Map<string, LoadedPerson>; unchanged: number; refersToStates: boolean };

function readPersons(rows: readonly Fields[]): ReadPersons {
  const read = new Map<string, LoadedPerson>();
  let unchanged = 0;
  let refersToStates = false;
  for (const [distinctId, stamp, id, properties, isIdentified, createdAt, stateVersion, refers] of rows) {
    if (distinctId == null) {
      unchanged = Number(stamp);
      refersToStates = refers === 't';
      continue;
    }
    read.set(distinctId, {
      stamp: stamp!,
      id: id!,
      properties: new StoredProperties(properties!),
      isIdentified: isIdentified === 't',
      createdAt: BigInt(createdAt!),
      ...(stateVersion != null && { stateVersion }),
    });
  }
  return { read, unchanged, refersToStates };
}
