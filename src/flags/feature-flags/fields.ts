/** Converts bodies of requests into fields of a flag. */
import { InvalidInput } from '../../platform/errors.ts';
import type { FlagChanges, NewFlag } from '../feature-flags.ts';
import type { FlagPatchBody, NewFlagBody } from './schema.ts';

/** @throws InvalidInput for a field in the wrong place */
export function newFlagOf(body: NewFlagBody): NewFlag {
  return { key: body.key, ...givenFields(body) };
}

/** @throws InvalidInput for a field in the wrong place */
export function flagChangesOf(body: FlagPatchBody): FlagChanges {
  return {
    ...(body.key !== undefined && { key: body.key }),
    ...(body.deleted !== undefined && { deleted: body.deleted }),
    ...(body.version !== undefined && { version: body.version, original: body.original_flag ?? {} }),
    ...givenFields(body),
  };
}

/** Copies the given fields: absent ones stay absent, and null means the default. */
function givenFields(body: Omit<NewFlagBody, 'key'>): Omit<NewFlag, 'key'> {
  refuseMisplaced(body);
  const { evaluation_contexts: contexts = body.evaluation_tags } = body;
  return {
    ...(body.name !== undefined && { name: body.name }),
    ...(body.filters !== undefined && { filters: body.filters }),
    ...(body.active !== undefined && { active: body.active }),
    ...(body.ensure_experience_continuity !== undefined && {
      ensureExperienceContinuity: body.ensure_experience_continuity ?? false,
    }),
    ...(body.evaluation_runtime !== undefined && { evaluationRuntime: body.evaluation_runtime ?? 'all' }),
    ...(body.bucketing_identifier !== undefined && { bucketingIdentifier: body.bucketing_identifier ?? 'distinct_id' }),
    ...(contexts !== undefined && { evaluationContexts: unique(contexts ?? []) }),
    ...(body.tags !== undefined && { tags: unique((body.tags ?? []).map((tag) => tag.toLowerCase())) }),
    ...(body.is_remote_configuration !== undefined && { isRemoteConfiguration: body.is_remote_configuration ?? false }),
    ...(body.has_encrypted_payloads !== undefined && { hasEncryptedPayloads: body.has_encrypted_payloads ?? false }),
  };
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
