/**
 * The ingest transaction: events of one project, the persons and groups that they change, all or nothing.
 *
 * 1. Claims: the first transaction to store a uuid owns it for good. Persons are read in the same round trip.
 * 2. Only when a person changes: its rows are locked and read again, and all decisions are made again.
 * 3. Groups, then the seal's lock and the instant, then persons and events: nothing is left to wait for but the rows themselves.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { changesJson, isEmpty, type StoredChanges } from './changes-json.ts';
import { copyMessages, COPYING_COLUMNS, REFERRING_COLUMNS, type RowReference, type StoredRow } from './event-rows.ts';
import { groupsSql, groupWarnings } from './group-changes.ts';
import { countDistinctIds, type DistinctIdCounts } from '../persons/distinct-id-counts.ts';
import type { KnownPersons } from '../persons/known-persons.ts';
import { loadPersons, type Ask, type Persons } from '../persons/load-persons.ts';
import { createObservedStates } from '../persons/observed-states.ts';
import { createPersonWork } from '../persons/person-work.ts';
import { AnswerTooLarge, quoteText, quoteTextArray, simpleQuery, type Fields } from '../../platform/db/simple-query.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';

type Session = Parameters<typeof simpleQuery>[0];

/** Persons changed between our reading and our locking in a way that needs more locks; repeating the transaction helps. */
export class PersonsChanged extends Error {}

/** The group's events and the properties of their persons exceed what may be held at once; storing it in two halves may succeed. */
export class GroupTooLarge extends Error {}

/** Limit, in UTF-16 units, of the person properties that one group reads, and of those that it stores. */
const MAX_PERSON_TEXT = 16 * 1024 * 1024;

/** Longest time for which a group's persons may keep other requests waiting, because each change writes all properties of a person. */
const LONGEST_TURN_MS = 20;

type GroupOptions = {
  /** Timeout of each round trip. */
  timeoutMs: number;
  /** Remembers the persons that are read here. */
  knownPersons: KnownPersons;
  /** Distinct ids that a person may get by merges. */
  maxDistinctIds: number;
};

/**
 * Stores the rows whose uuid no stored event has; of rows with the same uuid, only the first.
 * @param references rows of one project, in the order of their arrival
 * @returns warnings, after the commit, about changes that its events asked for and that were refused
 * @throws PersonsChanged, GroupTooLarge (never for one row), and errors of Postgres; the session is then inside the transaction, so end it
 */
export async function storeGroup(
  session: Session,
  projectId: number,
  references: readonly RowReference[],
  { timeoutMs, knownPersons, maxDistinctIds }: GroupOptions,
): Promise<IngestionWarning[]> {
  // A single event reads two persons at most, so it needs no limit.
  const maxText = references.length > 1 ? MAX_PERSON_TEXT : Infinity;
  const ask = (sql: string) => simpleQuery(session, sql, { timeoutMs, maxText }).catch(throwTooLarge);
  const group: Group = {
    ask,
    projectId,
    knownPersons,
    maxDistinctIds,
    references: firstOfEachUuid(references),
    refersToStates: false,
  };
  const { claimed, persons, refersToStates } = await beginAndClaim(group);
  group.refersToStates = refersToStates;
  // tooth: uuid-claimed
  if (claimed) group.references = group.references.filter((reference) => claimed.has(subjectOf(reference).uuid));
  if (group.references.length === 0) {
    await ask('commit');
    return [];
  }
  const outcome = await decideChanges(group, persons);
  const groups = groupsSql(projectId, group.references.map(subjectOf));
  const [answer] = await simpleQuery(session, finalSql(group, groups, outcome.changes), {
    timeoutMs,
    copyIn: (rows) => copyMessages(outcome.rows.sort(byUuid), BigInt(rows.at(-1)![0]!), versionsIn(rows.at(-2))),
  });
  return groups === undefined ? outcome.warnings : [...outcome.warnings, ...groupWarnings(answer?.[0])];
}

type Group = Omit<GroupOptions, 'timeoutMs'> & {
  ask: Ask;
  projectId: number;
  references: readonly RowReference[];
  /** Whether events refer to states of persons, and carry no copies. */
  refersToStates: boolean;
};

function throwTooLarge(error: unknown): never {
  throw error instanceof AnswerTooLarge ? new GroupTooLarge() : error;
}

async function beginAndClaim(group: Group) {
  const { projectId, references, knownPersons } = group;
  // tooth: claims-sorted
  const uuids = references.map((reference) => subjectOf(reference).uuid).sort();
  const merges = references.some(isMerge);
  const claim = `begin; select claim_events(${projectId}, ${merges}, '{${uuids.join(',')}}')`;
  const expected = new Map(distinctIds(references).map((id) => [id, knownPersons.find(projectId, id)]));
  const { answer, persons, refersToStates } = await loadPersons(group, claim, expected);
  const claims = answer[0];
  return { claimed: claims == null ? undefined : new Set(claims.slice(1, -1).split(',')), persons, refersToStates };
}

type Outcome = { rows: StoredRow[]; changes: StoredChanges; warnings: IngestionWarning[] };

async function decideChanges(group: Group, persons: Persons): Promise<Outcome> {
  const { projectId, references } = group;
  const tentative = await applyEvents(group, persons);
  const unmappedIds = tentative.changes.mapped.map(({ distinctId }) => distinctId).sort();
  const affectedIds = affectedPersons(tentative.changes);
  if (unmappedIds.length + affectedIds.size === 0) return tentative;

  const lock = `select lock_persons(${projectId}, ${quoteTextArray(unmappedIds)}, '{${[...affectedIds].join(',')}}')`;
  const expected = new Map(distinctIds(references).map((id) => [id, persons.get(id)]));
  const lockedPersons = await loadPersons(group, lock, expected);
  if (lockedPersons.areAsExpected) return tentative;
  for (const distinctId of unmappedIds) {
    const person = lockedPersons.persons.get(distinctId);
    if (person) affectedIds.add(person.id);
  }
  const outcome = await applyEvents(group, lockedPersons.persons);
  const lockedIds = new Set(unmappedIds);
  const isAllLocked =
    outcome.changes.mapped.every(({ distinctId }) => lockedIds.has(distinctId)) &&
    [...affectedPersons(outcome.changes)].every((id) => affectedIds.has(id));
  if (!isAllLocked) throw new PersonsChanged();
  return outcome;
}

/** @returns the ids of persons that change, or whose state is stored first, and that were there before the group */
function affectedPersons({ persons, merges, mapped, final }: StoredChanges): Set<string> {
  const newIds = new Set(persons.filter(({ isNew }) => isNew).map(({ id }) => id));
  const ids = [
    ...persons.map(({ id }) => id),
    ...merges.flatMap(({ from, into }) => [from, into]),
    ...mapped.map(({ personId }) => personId),
    ...(final?.first ?? []).map(({ personId }) => personId),
  ];
  return new Set(ids.filter((id) => !newIds.has(id)));
}

async function applyEvents(group: Group, persons: Persons): Promise<Outcome> {
  const { projectId, references, maxDistinctIds } = group;
  const counts = references.some(isMerge) ? await countDistinctIds(group, persons, maxDistinctIds) : NO_COUNTS;
  const work = createPersonWork(projectId, persons, { maxDistinctIds, counts });
  const states = group.refersToStates ? createObservedStates(persons.values()) : undefined;
  let heldText = 0;
  const rows: StoredRow[] = [];
  let turnStartedAt = performance.now();
  for (const reference of references) {
    if (performance.now() - turnStartedAt > LONGEST_TURN_MS) {
      await yieldToOthers();
      turnStartedAt = performance.now();
    }
    const { distinctId, timestamp, person: effects } = subjectOf(reference);
    const person = work.apply(distinctId, timestamp, effects);
    const state = states?.refer(person);
    heldText = states ? states.addedText() : heldText + person.properties.text.length;
    if (heldText > MAX_PERSON_TEXT && references.length > 1) throw new GroupTooLarge();
    rows.push({ reference, person, state });
  }
  const changes = work.changes();
  const final = states?.settle(changes, work.unchangedPersons());
  return { rows, changes: { ...changes, states: states?.added ?? [], final }, warnings: work.warnings() };
}

const NO_COUNTS: DistinctIdCounts = new Map();

function isMerge(reference: RowReference): boolean {
  return subjectOf(reference).person.merge !== undefined;
}

function distinctIds(references: readonly RowReference[]): string[] {
  const ids = new Set<string>();
  for (const reference of references) {
    const { distinctId, person } = subjectOf(reference);
    ids.add(distinctId);
    if (person.merge) ids.add(person.merge.distinctId);
  }
  return [...ids];
}

function finalSql(group: Group, groups: string | undefined, changes: StoredChanges): string {
  const { projectId, references, refersToStates } = group;
  const range = historicalRange(references);
  return [
    groups,
    !isEmpty(changes) && `select store_persons(${projectId}, ${quoteText(changesJson(changes))})`,
    `select stamp_events(${projectId}, ${instantSql(range?.from)}, ${instantSql(range?.to)})`,
    `copy events (${refersToStates ? REFERRING_COLUMNS : COPYING_COLUMNS}) from stdin (format binary)`,
    'commit',
  ]
    .filter(Boolean)
    .join('; ');
}

/** @param row of `store_persons`: an array of the versions that it gave; or of another statement */
function versionsIn(row: Fields | undefined): string[] {
  return row?.[0]?.slice(1, -1).split(',') ?? [];
}

function historicalRange(references: readonly RowReference[]): { from: bigint; to: bigint } | undefined {
  let range: { from: bigint; to: bigint } | undefined;
  for (const reference of references) {
    if (!reference.rows.historical) continue;
    const { timestamp } = subjectOf(reference);
    range ??= { from: timestamp, to: timestamp };
    if (timestamp < range.from) range.from = timestamp;
    if (timestamp > range.to) range.to = timestamp;
  }
  return range;
}

/** @param instant microseconds since 2000-01-01Z */
function instantSql(instant: bigint | undefined): string {
  return instant === undefined ? 'null' : `'2000-01-01Z'::timestamptz + interval '${instant} us'`;
}

function firstOfEachUuid(references: readonly RowReference[]): RowReference[] {
  const seen = new Set<string>();
  return references.filter((reference) => {
    const { uuid } = subjectOf(reference);
    // tooth: uuid-once-in-group
    return seen.size < seen.add(uuid).size;
  });
}

function subjectOf({ rows, index }: RowReference) {
  return rows.subjects[index]!;
}

/** Order of the index of intervals among rows of the same instant, so neighbours are written together. */
function byUuid(a: StoredRow, b: StoredRow): number {
  return subjectOf(a.reference).uuid < subjectOf(b.reference).uuid ? -1 : 1;
}
