/** Converts bodies of requests into fields of a flag. */
import { omitUndefined } from '../../platform/omit-undefined.ts';
import { InvalidInput } from '../../platform/errors.ts';
import type { FlagChanges, NewFlag } from '../feature-flags.ts';
import type { FlagPatchBody, NewFlagBody } from './schema.ts';

/** @throws InvalidInput for a field in the wrong place */
export function parseNewFlag(body: NewFlagBody): NewFlag {
  return { key: body.key, ...givenFields(body) };
}

/** @throws InvalidInput for a field in the wrong place */
export function parseFlagChanges(body: FlagPatchBody): FlagChanges {
  const { key, deleted, version, original_flag: original } = body;
  return { ...omitUndefined({ key, deleted, version }), original: original ?? {}, ...givenFields(body) };
}

/** Copies the given fields: absent ones stay absent, and null means the default. */
function givenFields(body: Omit<NewFlagBody, 'key'>): Omit<NewFlag, 'key'> {
  refuseMisplaced(body);
  const { evaluation_contexts: contexts = body.evaluation_tags, tags, name, filters, active } = body;
  return omitUndefined({
    name,
    filters,
    active,
    ensureExperienceContinuity: orDefault(body.ensure_experience_continuity, false),
    evaluationRuntime: orDefault(body.evaluation_runtime, 'all'),
    bucketingIdentifier: orDefault(body.bucketing_identifier, 'distinct_id'),
    evaluationContexts: contexts === undefined ? undefined : unique(contexts ?? []),
    tags: tags === undefined ? undefined : unique((tags ?? []).map((tag) => tag.toLowerCase())),
    isRemoteConfiguration: orDefault(body.is_remote_configuration, false),
    hasEncryptedPayloads: orDefault(body.has_encrypted_payloads, false),
  });
}

function orDefault<T>(given: T | null | undefined, value: T): T | undefined {
  return given === null ? value : given;
}

/** Refuses a percentage outside of condition sets, because ignoring it would turn the flag on for everybody. Upstream used to send null. */
function refuseMisplaced({ rollout_percentage }: Pick<NewFlagBody, 'rollout_percentage'>): void {
  if ((rollout_percentage ?? null) === null) return;
  throw new InvalidInput(
    'The percentage belongs to a condition set: `filters.groups[].rollout_percentage`.',
    'rollout_percentage',
  );
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts.map((text) => text.trim()))].filter((text) => text !== '');
}
