/** What is stored about who asks, read in one statement. */
import { isDatabaseAway } from '../../db/away.ts';
import type { Pool } from '../../db/connection.ts';
import type { EvaluationRequest, Facts, Needs } from '../evaluation/decision.ts';
import { parseJson, type Properties } from '../evaluation/json-values.ts';
import { storableText } from '../../wire/json.ts';
import { createAvailability } from './availability.ts';
import type { DecidedProject } from './decider.ts';
import { FACTS, FACTS_AND_OVERRIDES } from './facts-sql.ts';

/** For the connections that decisions use: SDKs wait three seconds for an answer. */
export const DECIDE_POOL = {
  applicationName: 'sluice-decide',
  maxConnections: 8,
  connectTimeoutMs: 500,
  statementTimeoutMs: 1_000,
  answerTimeoutMs: 1_500,
} as const;

type Row = {
  id: string | null;
  created_at: string;
  properties: string;
  cohorts: number[];
  groups: [index: number, properties: string][];
  overrides: Record<string, string>;
};

/** Never rejects: what cannot be read is `unavailable`. */
export type FactReader = (project: DecidedProject, request: EvaluationRequest, needs: Needs) => Promise<Facts>;

export function factReader(pool: Pool): FactReader {
  const availability = createAvailability();

  return async (project, request, needs) => {
    if (!availability.mayAsk()) return UNAVAILABLE;
    const values = valuesOf(project, request, needs);
    const continued = needs.hashKeyOverrides ? continuedIds(project, request) : undefined;
    try {
      const facts = continued ? await readAndWrite(pool, values, continued) : await read(pool, values);
      availability.answered();
      return facts;
    } catch {
      availability.failed();
      return UNAVAILABLE;
    }
  };
}

async function read(pool: Pool, values: readonly unknown[]): Promise<Facts> {
  const { rows } = await pool.query<Row>({ name: 'facts', text: FACTS, values: [...values] });
  return factsOf(rows[0]!);
}

/** A database that can only be read, or a person who is just being deleted, is no reason to know nothing. */
async function readAndWrite(pool: Pool, values: readonly unknown[], continued: readonly unknown[]): Promise<Facts> {
  const query = { name: 'facts-and-overrides', text: FACTS_AND_OVERRIDES, values: [...values, ...continued] };
  try {
    const { rows } = await pool.query<Row>(query);
    return factsOf(rows[0]!);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    return { ...(await read(pool, values)), hashKeyOverrides: 'unavailable' };
  }
}

const UNAVAILABLE: Facts = {
  person: 'unavailable',
  groups: 'unavailable',
  memberships: 'unavailable',
  hashKeyOverrides: 'unavailable',
};

function valuesOf({ projectId, definitions }: DecidedProject, request: EvaluationRequest, needs: Needs): unknown[] {
  const indexes: number[] = [];
  const keys: string[] = [];
  for (const index of needs.groups) {
    const key = request.groups[definitions.groupTypes.get(index) ?? ''];
    if (key === undefined) continue;
    indexes.push(index);
    keys.push(storedId(key));
  }
  return [projectId, storedId(request.distinctId), needs.staticCohorts, indexes, keys, needs.hashKeyOverrides];
}

/** Capture cuts ids after so many UTF-16 units: a flag's hash counts code points, and differs for emoji. */
const STORED_ID_LENGTH = 200;

/** An id as capture stored it. */
function storedId(id: string): string {
  return storableText(id).slice(0, STORED_ID_LENGTH).toWellFormed();
}

/** The earlier id of who asks, and the flags whose answers it goes on to decide; undefined when there is nothing to write. */
function continuedIds(
  { definitions }: DecidedProject,
  { anonDistinctId }: EvaluationRequest,
): [id: string, keys: string[]] | undefined {
  if (anonDistinctId === undefined || anonDistinctId === '') return undefined;
  const flags = definitions.flags.filter(
    ({ active, ensureExperienceContinuity }) => active && ensureExperienceContinuity,
  );
  return [storedId(anonDistinctId), flags.map(({ key }) => key)];
}

function factsOf({ id, created_at: createdAt, properties, cohorts, groups, overrides }: Row): Facts {
  return {
    person: id === null ? null : { id, createdAt, properties: parseJson(properties) as Properties },
    groups: new Map(groups.map(([index, text]) => [index, parseJson(text) as Properties])),
    memberships: new Set(cohorts),
    hashKeyOverrides: new Map(Object.entries(overrides)),
  };
}
