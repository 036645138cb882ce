/** Assembles the API of feature flags. */
import type { Route } from '../../platform/http/route.ts';
import { accessControlRoutes, type AccessControlsApi } from '../../people/access/access-controls.routes.ts';
import type { KeyRing } from '../../platform/secrets/key-ring.ts';
import { flagAuditLogRoutes } from './audit-log.routes.ts';
import { flagAnswers, type FlagAnswersOptions } from './answers.ts';
import { flagAnswerRoutes, type FlagAnswersApi } from './answers.routes.ts';
import { flagEvaluation } from './evaluate/explain.ts';
import { flagEvaluationRoutes, type FlagEvaluationApi } from './evaluate/evaluate.routes.ts';
import { payloadEncryption } from './encrypted-payloads.ts';
import { featureFlagRoutes } from './feature-flags.routes.ts';
import { flagManagement, type FlagManagementOptions } from './flag-management.ts';

export type FeatureFlagsApi = FlagAnswersApi & FlagEvaluationApi;

type Options = Omit<FlagManagementOptions, 'encryption'> & FlagAnswersOptions & { keyRing: KeyRing };

export function featureFlagsApi({ keyRing, ...options }: Options): FeatureFlagsApi {
  return {
    featureFlags: flagManagement({ ...options, encryption: payloadEncryption(keyRing) }),
    flagAnswers: flagAnswers(options),
    flagEvaluation: flagEvaluation(options),
  };
}

/** Routes in the order of matching: words such as `activity` must precede `:id`, which would match them. */
export const featureFlagsApiRoutes: Route<FeatureFlagsApi & AccessControlsApi>[] = [
  ...flagAuditLogRoutes,
  ...flagAnswerRoutes,
  ...flagEvaluationRoutes,
  ...featureFlagRoutes,
  ...accessControlRoutes({ resource: 'feature_flag', path: '/feature_flags/', activity: { scope: 'FeatureFlag' } }),
];
