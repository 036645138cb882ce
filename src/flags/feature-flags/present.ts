/** Presents flags to clients. Fields are listed one by one, so none is exposed by accident. */
import { reaches, type Level } from '../../platform/http/access.ts';
import { userOf } from '../../people/accounts/users.ts';
import type { Users } from '../../people/accounts/users.store.ts';
import type { EvaluableFlag, LocalEvaluation } from '../definitions/local-evaluation.ts';
import type { SdkDifference } from '../definitions/sdk-differences.ts';
import type { Json } from '../../conditions/operators/json-values.ts';
import type { FeatureFlag } from './feature-flags.store.ts';
import { MASK } from './payloads.ts';
import type { Related } from './related.store.ts';
import type { FlagBody } from './schema.ts';
import { statusOf } from './status.ts';

/** Writable fields of a flag, under their names on the wire. @param isMasked whether the payload is masked */
export function fieldsOf(flag: FeatureFlag, isMasked = flag.encryptedPayloads !== null) {
  return {
    key: flag.key,
    name: flag.name,
    filters: isMasked ? { ...flag.filters, payloads: { true: MASK } } : flag.filters,
    active: flag.active,
    deleted: flag.deleted,
    ensure_experience_continuity: flag.ensureExperienceContinuity,
    evaluation_runtime: flag.evaluationRuntime,
    bucketing_identifier: flag.bucketingIdentifier,
    evaluation_contexts: flag.evaluationContexts,
    tags: flag.tags,
    is_remote_configuration: flag.isRemoteConfiguration,
    has_encrypted_payloads: flag.hasEncryptedPayloads,
  };
}

const UNSUPPORTED_FIELDS = {
  analytics_dashboards: [],
  archived: false as const,
  has_enriched_analytics: false as const,
  is_used_in_replay_settings: false as const,
  last_called_at: null,
  performed_rollback: null,
  rollback_conditions: null,
  usage_dashboard: null,
};

/** Further data for the presentation of a flag. */
export type FlagPresentation = {
  users: Users;
  related: Related;
  localEvaluation: LocalEvaluation;
  sdkDifferences: SdkDifference[];
  /** Whether the key may write flags at all. */
  mayWrite: boolean;
  level: Level;
  now: number;
};

export function presentFlag(
  flag: FeatureFlag,
  { users, related, localEvaluation, sdkDifferences, mayWrite, level, now }: FlagPresentation,
): FlagBody {
  const { key, name, ...fields } = fieldsOf(flag);
  return {
    id: flag.id,
    key,
    name,
    ...fields,
    evaluation_tags: flag.evaluationContexts,
    version: flag.version,
    created_at: flag.createdAt,
    updated_at: flag.updatedAt,
    created_by: userOf(users, flag.createdBy),
    last_modified_by: userOf(users, flag.lastModifiedBy),
    local_evaluation: { ...localEvaluation, differing_sdks: sdkDifferences },
    experiment_set: related.experiments.map(({ id }) => id),
    experiment_set_metadata: related.experiments,
    features: related.features,
    surveys: related.surveys,
    ...UNSUPPORTED_FIELDS,
    status: statusOf(flag, now).status.toUpperCase() as Uppercase<ReturnType<typeof statusOf>['status']>,
    can_edit: mayWrite && reaches(level, 'editor'),
    user_access_level: level,
  };
}

/** Fields that decide whether SDKs can evaluate the flag. */
export function toEvaluableFlag(flag: FeatureFlag): EvaluableFlag {
  return { ...flag, filters: flag.filters as Json };
}

/** Short form of a flag, for lists of values. */
export function presentSummary(flag: FeatureFlag) {
  return {
    id: flag.id,
    team_id: flag.projectId,
    version: flag.version,
    ...fieldsOf(flag),
    evaluation_tags: flag.evaluationContexts,
  };
}
