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
  const { read, unchanged } = readPersons(rows);
  for (const [distinctId, person] of read) knownPersons.keep(projectId, distinctId, person);
  const persons = new Map(read);
  for (const [distinctId, person] of expected) {
    if (person && !read.has(distinctId)) persons.set(distinctId, person);
  }
  if (persons.size === read.size + unchanged) return { answer, persons, areAsExpected: read.size === 0 };
  // A person that was expected is gone.
  const nobody = new Map([...expected.keys()].map((distinctId) => [distinctId, undefined]));
  return { answer, persons: readPersons(await ask(personsSql(projectId, nobody))).read, areAsExpected: false };
}

function personsSql(projectId: number, expected: ReadonlyMap<string, LoadedPerson | undefined>): string {
  const stamps = Array.from(expected.values(), (person) => person?.stamp ?? NO_STAMP);
  return `select * from persons_of(${projectId}, ${quoteTextArray([...expected.keys()])}, '{${stamps.join(',')}}')`;
}

const NO_STAMP = '0';

/** @returns the persons that differ from the expected ones, and the number of persons that do not */
function readPersons(rows: readonly Fields[]): { read: Map<string, LoadedPerson>; unchanged: number } {
  const read = new Map<string, LoadedPerson>();
  let unchanged = 0;
  for (const [distinctId, stamp, id, properties, isIdentified, createdAt] of rows) {
    if (distinctId == null) {
      unchanged = Number(stamp);
      continue;
    }
    read.set(distinctId, {
      stamp: stamp!,
      id: id!,
      properties: new StoredProperties(properties!),
      isIdentified: isIdentified === 't',
      createdAt: BigInt(createdAt!),
    });
  }
  return { read, unchanged };
}
