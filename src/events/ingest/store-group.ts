/**
 * The ingest transaction: events of one project, the persons and groups that they change, all or nothing.
 *
 * 1. Claims: the first transaction to store a uuid owns it for good. Persons are read in the same round trip.
 * 2. Only when a person changes: its rows are locked and read again, and all decisions are made again.
 * 3. Groups, then the seal's lock and the instant, then persons and events: nothing is left to wait for but the rows themselves.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { copyMessages, ROW_COLUMNS, type RowReference, type StoredRow } from './event-rows.ts';
import { groupsSql, groupWarnings } from './group-changes.ts';
import { countDistinctIds, type DistinctIdCounts } from '../persons/distinct-id-counts.ts';
import type { KnownPersons } from '../persons/known-persons.ts';
import { loadPersons, type Ask, type Persons } from '../persons/load-persons.ts';
import { createPersonWork, type PersonChanges } from '../persons/person-work.ts';
import { AnswerTooLarge, quoteText, quoteTextArray, simpleQuery } from '../../platform/db/simple-query.ts';
import type { IngestionWarning } from '../warnings/warnings.ts';

type Session = Parameters<typeof simpleQuery>[0];

/** Persons changed between our reading and our locking in a way that needs more locks; repeating the transaction helps. */
export class PersonsChanged extends Error {}

/** The group's events and the properties of their persons exceed what may be held at once; storing it in two halves may succeed. */
export class GroupTooLarge extends Error {}

/** Limit, in UTF-16 units, of the person properties that one group reads, and of their copies in its rows. */
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
  };
  const { claimed, persons } = await beginAndClaim(group);
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
    copyIn: (rows) => copyMessages(outcome.rows.sort(byUuid), BigInt(rows.at(-1)![0]!)),
  });
  return groups === undefined ? outcome.warnings : [...outcome.warnings, ...groupWarnings(answer?.[0])];
}

type Group = Omit<GroupOptions, 'timeoutMs'> & { ask: Ask; projectId: number; references: readonly RowReference[] };

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
  const { answer, persons } = await loadPersons(group, claim, expected);
  const claims = answer[0];
  return { claimed: claims == null ? undefined : new Set(claims.slice(1, -1).split(',')), persons };
}

type Outcome = { rows: StoredRow[]; changes: PersonChanges; warnings: IngestionWarning[] };

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

/** @returns the ids of persons that change and were there before the group */
function affectedPersons({ persons, merges, mapped }: PersonChanges): Set<string> {
  const newIds = new Set(persons.filter(({ isNew }) => isNew).map(({ id }) => id));
  const ids = [
    ...persons.map(({ id }) => id),
    ...merges.flatMap(({ from, into }) => [from, into]),
    ...mapped.map(({ personId }) => personId),
  ];
  return new Set(ids.filter((id) => !newIds.has(id)));
}

async function applyEvents(group: Group, persons: Persons): Promise<Outcome> {
  const { projectId, references, maxDistinctIds } = group;
  const counts = references.some(isMerge) ? await countDistinctIds(group, persons, maxDistinctIds) : NO_COUNTS;
  const work = createPersonWork(projectId, persons, { maxDistinctIds, counts });
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
    heldText += person.properties.text.length;
    if (heldText > MAX_PERSON_TEXT && references.length > 1) throw new GroupTooLarge();
    rows.push({ reference, person });
  }
  return { rows, changes: work.changes(), warnings: work.warnings() };
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

function finalSql({ projectId, references }: Group, groups: string | undefined, changes: PersonChanges): string {
  const range = historicalRange(references);
  return [
    groups,
    hasChanges(changes) && `select change_persons(${projectId}, ${quoteText(changesJson(changes))})`,
    `select stamp_events(${projectId}, ${instantSql(range?.from)}, ${instantSql(range?.to)})`,
    `copy events (${ROW_COLUMNS}) from stdin (format binary)`,
    'commit',
  ]
    .filter(Boolean)
    .join('; ');
}

function hasChanges({ persons, mapped, merges }: PersonChanges): boolean {
  return persons.length + mapped.length + merges.length > 0;
}

/** JSON as `change_persons` reads it. Properties are JSON text already. */
function changesJson({ persons, mapped, merges }: PersonChanges): string {
  const personsJson = persons.map(
    ({ id, properties, isIdentified, createdAt }) =>
      `{"id":"${id}","properties":${properties.text},"is_identified":${isIdentified},"created_at":${createdAt}}`,
  );
  const mappedRows = mapped.map(({ distinctId, personId }) => ({ distinct_id: distinctId, person_id: personId }));
  return `{"persons":[${personsJson.join(',')}],"mapped":${JSON.stringify(mappedRows)},"merges":${JSON.stringify(merges)}}`;
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
