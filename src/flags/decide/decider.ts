/** Decides flags for one request: from memory if possible, else after one query for the stored facts about the evaluation context. */
import type { Pool } from '../../platform/db/connection.ts';
import { identifiesNobody } from '../../events/cookieless/ids.ts';
import type { Evaluation, EvaluationRequest, Facts, Needs } from '../evaluation/decision.ts';
import { factReader, type DecidedProject } from './facts.ts';

export type Decider = {
  /**
   * Writes hash key overrides if the request has the person's earlier id. Never throws or rejects: facts that
   * cannot be read from Postgres fail only the flags that depend on them.
   */
  decide(project: DecidedProject, request: EvaluationRequest): Evaluation | Promise<Evaluation>;
};

/** CPU budget of a request, because other requests wait meanwhile. Flags not decided in time fail with `timeout`. */
const BUDGET_MS = 200;

/**
 * @param pool made with DECIDE_POOL (`facts.ts`): decisions must not wait for a database that is away
 * @param now milliseconds since 1970
 */
export function createDecider({ pool, now = Date.now }: { pool: Pool; now?: () => number }): Decider {
  const readFacts = factReader(pool);

  function evaluate({ compiled }: DecidedProject, request: EvaluationRequest, facts: Facts): Evaluation {
    return compiled.evaluate(request, facts, { now: now(), budgetMs: BUDGET_MS });
  }

  /** Visitors without cookies have no stored facts, so only facts about their groups are read. */
  function decideWithoutPerson(
    project: DecidedProject,
    evaluationRequest: EvaluationRequest,
  ): Evaluation | Promise<Evaluation> {
    const request = { ...evaluationRequest, anonDistinctId: undefined };
    const { groups } = project.compiled.needs(request);
    if (groups.length === 0) return evaluate(project, request, NO_FACTS);
    // No person has an empty id.
    return readFacts(project, { ...request, distinctId: '' }, { ...NO_NEEDS, groups }).then((facts) =>
      evaluate(project, request, { ...NO_FACTS, groups: facts.groups }),
    );
  }

  return {
    decide(project, request) {
      // tooth: cookieless-decides
      if (identifiesNobody(request.distinctId)) return decideWithoutPerson(project, request);
      const needs = project.compiled.needs(request);
      if (!needsAny(needs)) return evaluate(project, request, NO_FACTS);
      return readFacts(project, request, needs).then((facts) => evaluate(project, request, facts));
    },
  };
}

function needsAny({ person, groups, staticCohorts, hashKeyOverrides }: Needs): boolean {
  return person || hashKeyOverrides || groups.length > 0 || staticCohorts.length > 0;
}

const NO_NEEDS: Needs = { person: false, groups: [], staticCohorts: [], hashKeyOverrides: false };
const NO_FACTS: Facts = { person: null, groups: new Map(), memberships: new Set(), hashKeyOverrides: new Map() };
