/** Builds flags as definitions hold them, from the few fields that a test is about. */
import type { StoredFlag } from '../../../src/flags/definitions/stored-definitions.ts';
import type { Json } from '../../../src/conditions/operators/json-values.ts';

export type StoredFlagChanges = Partial<Omit<StoredFlag, 'filters'>> & { filters?: Json };

/** @returns an active flag for everybody, except for the given fields */
export function buildStoredFlag(changes: StoredFlagChanges = {}): StoredFlag {
  return {
    id: 1,
    key: 'flag',
    name: '',
    version: 1,
    active: true,
    filters: { groups: [{ properties: [] }] },
    ensureExperienceContinuity: false,
    evaluationRuntime: 'all',
    bucketingIdentifier: 'distinct_id',
    evaluationContexts: [],
    tags: [],
    isRemoteConfiguration: false,
    hasEncryptedPayloads: false,
    hasExperiment: false,
    ...changes,
  };
}
