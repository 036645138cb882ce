/** Reads the stored facts about the subjects of requests, for several requests in one statement. */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { isDatabaseAway } from '../../platform/db/away.ts';
import type { Pool } from '../../platform/db/connection.ts';
import type { EvaluationRequest, Facts, Needs } from '../evaluation/decision.ts';
import { parseBoundedJson, type Properties } from '../../conditions/operators/json-values.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { storableText } from '../../platform/wire/json.ts';
import { createAvailability } from './availability.ts';
import { FACTS, FACTS_AND_OVERRIDES, PERSONS } from './facts-sql.ts';
import { createSharedReads } from './shared-reads.ts';
import type { CompiledFlags } from '../evaluation/compile.ts';
import type { Definitions } from '../evaluation/definitions.ts';

/** Options of the connections that decisions use. The timeouts are short, because SDKs wait only three seconds for an answer. */
export const DECIDE_POOL = {
  ...POOLS.decide,
  connectTimeoutMs: 500,
  statementTimeoutMs: 1_000,
  answerTimeoutMs: 1_500,
} as const;

/** Facts to read for one request; a field is null if none of its kind is needed. */
type Question = {
  projectId: number;
  distinctId: string;
  /** A Postgres array as text. */
  cohorts: string | null;
  /** JSON. */
  groups: string | null;
  overrides: boolean;
};

/** Question about a person who has just been identified, with the last two parameters of `FACTS_AND_OVERRIDES`. */
type QuestionWithOverrides = { question: Question; overrideParameters: readonly unknown[] };

type Row = {
  /** Number of the question that this row answers, from 1 on. */
  ordinal: number;
  id: string | null;
  created_at: string;
  properties: string;
  /** Present, like the next two, if any question in the shared statement needs one of the three. */
  cohorts?: number[] | null;
  groups?: [index: number, properties: string][] | null;
  overrides?: Record<string, string> | null;
};

/** Never rejects: facts that cannot be read are `unavailable`. */
export type FactReader = (project: DecidedProject, request: EvaluationRequest, needs: Needs) => Promise<Facts>;

export function factReader(pool: Pool): FactReader {
  const availability = createAvailability();
  const askShared = createSharedReads<Question, Facts>({
    read: (questions) => availability.watch(readFacts(pool, questions)),
    fallback: UNAVAILABLE,
  });
  // Statements that write are not shared, but queue by project too, so one project cannot occupy all connections.
  const askAndWrite = createSharedReads<QuestionWithOverrides, Facts>({
    read: (questions) =>
      availability.watch(Promise.all(questions.map((question) => readFactsAndWriteOverrides(pool, question)))),
    fallback: UNAVAILABLE,
    maxBatch: 1,
  });

  return (project, request, needs) => {
    if (!availability.mayAsk()) return Promise.resolve(UNAVAILABLE);
    const question = questionOf(project, request, needs);
    const overrideParameters = needs.hashKeyOverrides ? overrideParametersOf(project, request) : undefined;
    if (!overrideParameters) return askShared(project.projectId, question);
    return askAndWrite(project.projectId, { question, overrideParameters });
  };
}

async function readFacts(pool: Pool, questions: readonly Question[]): Promise<Facts[]> {
  const { rows } = await pool.query<Row>(
    questions.every(needsOnlyPerson) ? personsQuery(questions) : factsQuery(questions),
  );
  const answers = questions.map(() => UNAVAILABLE);
  for (const row of rows) answers[row.ordinal - 1] = await factsOf(row);
  return answers;
}

function needsOnlyPerson({ cohorts, groups, overrides }: Question): boolean {
  return cohorts === null && groups === null && !overrides;
}

function personsQuery(questions: readonly Question[]) {
  const values: unknown[][] = [
    questions.map(({ projectId }) => projectId),
    questions.map(({ distinctId }) => distinctId),
  ];
  return { name: 'persons', text: PERSONS, values };
}

function factsQuery(questions: readonly Question[]) {
  const { values } = personsQuery(questions);
  values.push(
    questions.map(({ cohorts }) => cohorts),
    questions.map(({ groups }) => groups),
    questions.map(({ overrides }) => overrides),
  );
  return { name: 'facts', text: FACTS, values };
}

/** If the write fails, for example in a read-only database or while the person is being deleted, only reads. */
async function readFactsAndWriteOverrides(
  pool: Pool,
  { question, overrideParameters }: QuestionWithOverrides,
): Promise<Facts> {
  const { projectId, distinctId, cohorts, groups } = question;
  const values = [projectId, distinctId, cohorts, groups, ...overrideParameters];
  try {
    const { rows } = await pool.query<Row>({ name: 'facts-and-overrides', text: FACTS_AND_OVERRIDES, values });
    return await factsOf(rows[0]!);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const [facts] = await readFacts(pool, [question]);
    return { ...facts!, hashKeyOverrides: 'unavailable' };
  }
}

const UNAVAILABLE: Facts = {
  person: 'unavailable',
  groups: 'unavailable',
  memberships: 'unavailable',
  hashKeyOverrides: 'unavailable',
};

function questionOf({ projectId, definitions }: DecidedProject, request: EvaluationRequest, needs: Needs): Question {
  const groups: { index: number; key: string }[] = [];
  for (const index of needs.groups) {
    const key = request.groups[definitions.groupTypes.get(index) ?? ''];
    if (key !== undefined) groups.push({ index, key: storableId(key) });
  }
  return {
    projectId,
    distinctId: storableId(request.distinctId),
    cohorts: needs.staticCohorts.length > 0 ? `{${needs.staticCohorts.join()}}` : null,
    groups: groups.length > 0 ? JSON.stringify(groups) : null,
    overrides: needs.hashKeyOverrides,
  };
}

/** UTF-16 units to which capture truncates ids. Flags truncate by code points instead, which differs for emoji. */
const STORED_ID_LENGTH = 200;

/** An id as capture stored it. */
function storableId(id: string): string {
  return storableText(id.slice(0, STORED_ID_LENGTH));
}

/** The id before `$identify`, and the keys of active flags with experience continuity; undefined if there is no such id, so nothing to write. */
function overrideParametersOf(
  { definitions }: DecidedProject,
  { anonDistinctId }: EvaluationRequest,
): [id: string, keys: string[]] | undefined {
  if (anonDistinctId === undefined || anonDistinctId === '') return undefined;
  const flags = definitions.flags.filter(
    ({ active, ensureExperienceContinuity }) => active && ensureExperienceContinuity,
  );
  return [storableId(anonDistinctId), flags.map(({ key }) => key)];
}

async function factsOf({ id, created_at: createdAt, properties, cohorts, groups, overrides }: Row): Promise<Facts> {
  const person = id === null ? null : { id, createdAt, properties: await parseProperties(properties) };
  const groupProperties = new Map<number, Properties>();
  for (const [index, text] of groups ?? []) groupProperties.set(index, await parseProperties(text));
  return {
    person,
    groups: groupProperties,
    memberships: new Set(cohorts),
    hashKeyOverrides: new Map(Object.entries(overrides ?? {})),
  };
}

/** UTF-16 units of a text that is parsed without yielding first. */
const SHORT_TEXT = 64 * 1024;

/** Yields before parsing a long text, because a person and five groups may have a megabyte each. */
async function parseProperties(text: string): Promise<Properties> {
  if (text.length > SHORT_TEXT) await yieldToOthers();
  return parseBoundedJson(text) as Properties;
}
/** The parts of a project that decisions need. */
export type DecidedProject = { projectId: number; definitions: Definitions; compiled: CompiledFlags };
