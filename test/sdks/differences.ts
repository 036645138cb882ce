/** Flags that SDKs evaluate otherwise than the server does, and why. Every line of it is asserted. */
import { PERSONS, expectedFromServer, type FlagValue, type Value } from '../support/sdks/sdk-table.ts';

export type Difference = {
  /** Absent: every SDK. */
  sdks?: readonly string[];
  flag: string;
  /** By persons, in the order of the table; undefined: it cannot tell, null: what the server says. */
  says: (Value | null | undefined)[];
  why: string;
};

const NOBODY = [undefined, undefined, undefined];

/** Of two years ago. */
const OLD = ['posthog-node 4.2.1', 'posthog-python 3.7.0'];
const GO = 'posthog-go 1.5.2';
const JAVA = 'posthog-server 2.3.3';
const RUST = 'posthog-rs 0.30.0';

export const DIFFERENCES: Difference[] = [
  { flag: 'kept', says: NOBODY, why: 'what somebody keeps is stored' },
  { flag: 'invited', says: NOBODY, why: 'who is on a list is stored' },
  { flag: 'early', says: [null, undefined, undefined], why: 'it is told of the choice of the first only' },
  ...['for-pro', 'adults', 'in-cohort', 'gold-or-free'].map((flag) => ({
    flag,
    says: [null, null, undefined],
    why: 'it is told nothing of the third',
  })),
  { flag: 'asleep', says: [false, false, false], why: 'the feed holds it, `/flags` does not' },
  { flag: 'of-pages', says: [true, true, true], why: 'the feed is of all runtimes' },

  { sdks: [...OLD, GO, JAVA, RUST], flag: 'on-trial', says: [null, null, 'test'], why: 'it knows of no holdouts' },
  { sdks: [...OLD, GO, JAVA], flag: 'not-for-pro', says: [true, null, null], why: 'it knows of no early exit' },
  { sdks: [...OLD, GO, RUST], flag: 'goes-with-blue', says: NOBODY, why: 'it knows of no flags that depend on flags' },
  {
    sdks: [...OLD, GO],
    flag: 'gold-or-free',
    says: [undefined, null, undefined],
    why: 'it asks persons for what a condition set asks of groups',
  },
  { sdks: [GO], flag: 'adults', says: NOBODY, why: 'it compares no number with a text' },
  { sdks: [GO], flag: 'early', says: [false, undefined, undefined], why: 'true is not the text "true" to it' },
  { sdks: [GO], flag: 'for-gold', says: [null, undefined, null], why: 'it does not say no without a group' },
  { sdks: [GO], flag: 'in-cohort', says: [null, null, false], why: 'a cohort without what it asks for is a no' },
  { sdks: [JAVA], flag: 'for-gold', says: [undefined, null, undefined], why: 'it does not find properties of groups' },
  {
    sdks: [JAVA],
    flag: 'gold-or-free',
    says: [undefined, null, undefined],
    why: 'it does not find properties of groups',
  },
  { sdks: [RUST], flag: 'kept', says: ['blue', 'blue', 'red'], why: 'it does not ask what somebody keeps' },
];

/** The SDK's decisions about each person when it is told all that the table knows. */
export function locally(sdk: string): Omit<FlagValue, 'payload'>[] {
  const valuesByFlagAndPerson = new Map(
    expectedFromServer('server').map(({ person, flag, value }) => [`${flag} ${person}`, { person, flag, value }]),
  );
  for (const { flag, says } of DIFFERENCES.filter(({ sdks = [sdk] }) => sdks.includes(sdk))) {
    for (const [index, value] of says.entries()) {
      const person = PERSONS[index]!.id;
      if (value === undefined) valuesByFlagAndPerson.delete(`${flag} ${person}`);
      else if (value !== null) valuesByFlagAndPerson.set(`${flag} ${person}`, { person, flag, value });
    }
  }
  return [...valuesByFlagAndPerson.values()];
}
