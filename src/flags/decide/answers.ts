/**
 * The answers of `/decide` and `/flags`, written as text: they are most of the work of a request.
 *
 * | shape     | `/decide`          | `/flags`          |                                            |
 * | --------- | ------------------ | ----------------- | ------------------------------------------ |
 * | `keys`    | `v` 1, or none     |                   | keys of the flags that are on              |
 * | `enabled` | `v=2`              |                   | values of the flags that are on            |
 * | `values`  | `v=3`              | `v=1`             | values of all flags, and payloads          |
 * | `details` | `v=4` and above    | `v=2` and above   | all that a decision says                   |
 */
import type { Decision, Evaluation } from '../evaluation/decision.ts';
import type { Shape } from './paths.ts';

export type AnswerParts = {
  shape: Shape;
  evaluation: Evaluation;
  /** Members of the configuration as JSON, without braces; empty: none. */
  configuration: string;
  requestId: string;
  /** Milliseconds since 1970. */
  evaluatedAt: number;
  /** The project has had all the answers that it may have. */
  quotaLimited: boolean;
};

/** @returns JSON */
export function answerText({
  shape,
  evaluation,
  configuration,
  requestId,
  evaluatedAt,
  quotaLimited,
}: AnswerParts): string {
  const quota = quotaLimited ? ',"quotaLimited":["feature_flags"]' : '';
  const rest = configuration === '' ? '' : `,${configuration}`;
  return `{${WRITERS[shape](evaluation)},"requestId":"${requestId}","evaluatedAt":${evaluatedAt}${quota}${rest}}`;
}

const WRITERS: Readonly<Record<Shape, (evaluation: Evaluation) => string>> = {
  keys: ({ decisions }) => `"featureFlags":[${joined(decisions, keyIfOn)}]`,
  enabled: ({ decisions }) => `"featureFlags":{${joined(decisions, valueIfOn)}}`,
  values: ({ decisions, errorsWhileComputing }) =>
    `"featureFlags":{${joined(decisions, value)}},"featureFlagPayloads":{${joined(decisions, payload)}}` +
    `,"errorsWhileComputingFlags":${errorsWhileComputing}`,
  details: ({ decisions, errorsWhileComputing }) =>
    `"flags":{${joined(decisions, details)}},"errorsWhileComputingFlags":${errorsWhileComputing}`,
};

/** @param write returns '' for what is left out */
function joined(decisions: readonly Decision[], write: (decision: Decision) => string): string {
  let text = '';
  for (const decision of decisions) {
    const one = write(decision);
    if (one !== '') text += text === '' ? one : `,${one}`;
  }
  return text;
}

function keyIfOn({ key, enabled }: Decision): string {
  return enabled ? quoted(key) : '';
}

function valueIfOn(decision: Decision): string {
  return decision.enabled ? value(decision) : '';
}

function value({ key, enabled, variant }: Decision): string {
  return `${quoted(key)}:${enabled && variant !== null ? quoted(variant) : enabled}`;
}

function payload({ key, payload }: Decision): string {
  return payload === null ? '' : `${quoted(key)}:${quoted(payload)}`;
}

/** A compiled flag gives the same decision as the same object, so most are written once. */
const written = new WeakMap<Decision, string>();

function details(decision: Decision): string {
  const known = written.get(decision);
  if (known !== undefined) return known;
  const text = detailsText(decision);
  written.set(decision, text);
  return text;
}

function detailsText({ key, id, version, enabled, variant, reason, payload, hasExperiment, failed }: Decision): string {
  const name = quoted(key);
  return (
    `${name}:{"key":${name},"enabled":${enabled},"variant":${textOrNull(variant)}` +
    `,"reason":{"code":"${reason.code}","condition_index":${reason.conditionIndex}` +
    `,"description":${quoted(reason.description)}}` +
    `,"metadata":{"id":${id},"version":${version},"description":null,"payload":${textOrNull(payload)}` +
    `,"has_experiment":${hasExperiment}}${failed ? ',"failed":true' : ''}}`
  );
}

function textOrNull(text: string | null): string {
  return text === null ? 'null' : quoted(text);
}

/** What JSON writes as it is. Most names are. */
const PLAIN = /^[\w $.,:;()/-]*$/;

function quoted(text: string): string {
  return PLAIN.test(text) ? `"${text}"` : JSON.stringify(text);
}
