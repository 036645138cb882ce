/** Presents experiments and holdouts to clients. Fields are listed one by one, so none is exposed by accident. */
import { userOf } from '../../../people/accounts/users.ts';
import type { Users } from '../../../people/accounts/users.store.ts';
import type { FeatureFlag } from '../../feature-flags/feature-flags.store.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { presentLinkedFlag, maySeeFlag } from '../../feature-flags/linked.ts';
import type { Experiment } from './experiments.store.ts';
import type { Holdout } from './holdouts.store.ts';
import { phaseOf } from './phases.ts';
import type { ExperimentBody, HoldoutBody } from './schema.ts';
import { arrangementOf, holdoutVariant } from './variants.ts';

/** An experiment with the objects that it is linked to. */
export type LinkedExperiment = {
  experiment: Experiment;
  flag: FeatureFlag;
  holdout: Holdout | undefined;
  users: Users;
};

export function presentExperiment(
  { experiment, flag, holdout, users }: LinkedExperiment,
  rights: Rights,
): ExperimentBody {
  const isVisible = maySeeFlag(rights, flag);
  return {
    id: experiment.id,
    name: experiment.name,
    description: experiment.description,
    type: experiment.type,
    start_date: experiment.start_date,
    end_date: experiment.end_date,
    status: phaseOf(experiment),
    feature_flag_key: isVisible ? flag.key : '',
    feature_flag: presentLinkedFlag(flag, rights),
    holdout: holdout ? presentHoldout(holdout, users) : null,
    holdout_id: experiment.holdout_id,
    parameters: isVisible ? { ...experiment.parameters, ...arrangementOf(flag.filters) } : experiment.parameters,
    filters: experiment.filters,
    metrics: experiment.metrics,
    metrics_secondary: experiment.metrics_secondary,
    saved_metrics: [],
    exposure_criteria: experiment.exposure_criteria,
    archived: experiment.archived,
    deleted: experiment.deleted,
    created_by: userOf(users, experiment.created_by),
    created_at: experiment.created_at,
    updated_at: experiment.updated_at,
  };
}

export function presentHoldout(holdout: Holdout, users: Users): HoldoutBody {
  const { id, name, description, exclusion_percentage: rollout_percentage } = holdout;
  return {
    id,
    name,
    description,
    filters: [{ properties: [], rollout_percentage, variant: holdoutVariant(id) }],
    created_by: userOf(users, holdout.created_by),
    created_at: holdout.created_at,
    updated_at: holdout.updated_at,
  };
}
