/**
 * Writes the answers of `/decide` and `/flags` as text; that takes most of a request's CPU time, so texts of flags are reused.
 *
 * | shape     | `/decide`          | `/flags`          |                                            |
 * | --------- | ------------------ | ----------------- | ------------------------------------------ |
 * | `keys`    | `v` 1, or none     |                   | keys of the flags that are on              |
 * | `enabled` | `v=2`              |                   | values of the flags that are on            |
 * | `values`  | `v=3`              | `v=1`             | values of all flags, and payloads          |
 * | `details` | `v=4` and above    | `v=2` and above   | everything about each decision             |
 *
 * A failed flag appears in the details only: clients of the other shapes keep their present value for a flag that is absent.
 *
 * `analysis` is `details` of `/flags` with `detailed_analysis=true`: it includes the condition sets.
 */
import type { Decision, Evaluation } from '../evaluation/decision.ts';
import type { FlagDefinition } from '../evaluation/definitions.ts';
import { conditionsOf } from './conditions.ts';
import type { Shape } from './paths.ts';

export type AnswerParts = {
  shape: Shape;
  evaluation: Evaluation;
  /** Flags of the project, including those that were decided. */
  flags: readonly FlagDefinition[];
  /** Fields of the configuration as JSON without braces; may be empty. */
  configuration: string;
  requestId: string;
  /** Milliseconds since 1970. */
  evaluatedAt: number;
  /** Whether the project has used up its quota. */
  quotaLimited: boolean;
};

/** @returns JSON */
export function answerText({
  shape,
  evaluation,
  flags,
  configuration,
  requestId,
  evaluatedAt,
  quotaLimited,
}: AnswerParts): string {
  const quota = quotaLimited ? ',"quotaLimited":["feature_flags"]' : '';
  const configurationJson = configuration === '' ? '' : `,${configuration}`;
  return `{${WRITERS[shape](evaluation, flags)},"requestId":"${requestId}","evaluatedAt":${evaluatedAt}${quota}${configurationJson}}`;
}

const WRITERS: Readonly<Record<Shape, (evaluation: Evaluation, flags: readonly FlagDefinition[]) => string>> = {
  keys: ({ decisions }) => `"featureFlags":[${joinTexts(decisions, isOn, keyOf)}]`,
  enabled: ({ decisions }) => `"featureFlags":{${joinTexts(decisions, isOn, valueOf)}}`,
  values: ({ decisions, errorsWhileComputing }) =>
    `"featureFlags":{${joinTexts(decisions, isDecided, valueOf)}},"featureFlagPayloads":{${joinTexts(decisions, hasPayload, payloadOf)}}` +
    `,"errorsWhileComputingFlags":${errorsWhileComputing}`,
  details: ({ decisions, errorsWhileComputing }) =>
    `"flags":{${joinTexts(decisions, isAny, detailsOf)}},"errorsWhileComputingFlags":${errorsWhileComputing}`,
  analysis({ decisions, errorsWhileComputing }, flags) {
    const byId = new Map(flags.map((flag) => [flag.id, flag]));
    const texts = decisions.map((decision) => {
      const conditions = conditionsOf(byId.get(decision.id)!, decision);
      return `${detailsOf(decision).first.slice(0, -1)},${jsonField('conditions', conditions)}}`;
    });
    return `"flags":{${texts.join()}},"errorsWhileComputingFlags":${errorsWhileComputing}`;
  },
};

const isAny = () => true;
const isOn = ({ enabled }: Decision) => enabled;
const hasPayload = ({ payload }: Decision) => payload !== null;
const isDecided = ({ failed }: Decision) => !failed;
const keyOf = cacheText(({ key }) => JSON.stringify(key));
const valueOf = cacheText(({ key, enabled, variant }) => jsonField(key, enabled ? (variant ?? true) : false));
const payloadOf = cacheText(({ key, payload }) => jsonField(key, payload));
const detailsOf = cacheText(({ key, id, version, enabled, variant, reason, payload, hasExperiment, failed }) =>
  jsonField(key, {
    key,
    enabled,
    variant,
    reason: { code: reason.code, condition_index: reason.conditionIndex, description: reason.description },
    metadata: { id, version, description: null, payload, has_experiment: hasExperiment },
    ...(failed && { failed }),
  }),
);

/** Text of one flag, as the first of a list and with a leading comma: adding the comma each time would take half of the writing time. */
type FlagText = { readonly first: string; readonly afterComma: string };

/** Caches texts by decision object: a compiled flag returns the same object for the same outcome, so most are written once. */
function cacheText(write: (decision: Decision) => string): (decision: Decision) => FlagText {
  const textByDecision = new WeakMap<Decision, FlagText>();

  return (decision) => {
    let flagText = textByDecision.get(decision);
    if (flagText) return flagText;
    const first = write(decision);
    flagText = { first, afterComma: `,${first}` };
    textByDecision.set(decision, flagText);
    return flagText;
  };
}

/** Joins texts without the intermediate lists that `filter` and `map` would make. */
function joinTexts(
  decisions: readonly Decision[],
  isIncluded: (decision: Decision) => boolean,
  textOf: (decision: Decision) => FlagText,
): string {
  let text = '';
  for (const decision of decisions) {
    if (!isIncluded(decision)) continue;
    const { first, afterComma } = textOf(decision);
    text += text === '' ? first : afterComma;
  }
  return text;
}

/** Writes one field of a JSON object. */
function jsonField(name: string, value: unknown): string {
  return JSON.stringify({ [name]: value }).slice(1, -1);
}
