/** Checks the bodies of requests about experiments, as far as possible without the flag. */
import { omitUndefined } from '../../../platform/omit-undefined.ts';
import { InvalidInput } from '../../../platform/errors.ts';
import { readDatetime } from '../../../platform/http/parameters/datetime.ts';
import { limitValues } from '../../../platform/http/value-limit.ts';
import type { ExperimentFields } from './experiments.store.ts';
import { parseMetrics } from './results/metrics.ts';
import { phaseOf } from './phases.ts';
import type { ExperimentPatchBody, NewExperimentBody } from './schema.ts';
import type { Arrangement } from './variants.ts';

/** Fields of the experiment itself, without those about its flag (`Arrangement`). */
export type GivenFields = Partial<Omit<ExperimentFields, 'flag_id' | 'type'>>;

/** @throws InvalidInput naming the field */
export function parseExperimentBody(body: NewExperimentBody | ExperimentPatchBody): {
  fields: GivenFields;
  arrangement: Arrangement;
} {
  if (body.saved_metrics_ids?.length) throw new InvalidInput('Saved metric does not exist', 'saved_metrics_ids');
  const globals = body.filters?.['properties'];
  if (Array.isArray(globals) ? globals.length > 0 : globals) {
    throw new InvalidInput('Experiments do not support global filter properties', 'filters');
  }
  const { feature_flag_variants, aggregation_group_type_index, rollout_percentage, ...otherParameters } =
    body.parameters ?? {};
  const fields = {
    name: body.name,
    description: body.description === undefined ? undefined : (body.description ?? ''),
    start_date: parseInstant(body.start_date, 'start_date'),
    end_date: parseInstant(body.end_date, 'end_date'),
    holdout_id: body.holdout_id,
    parameters: body.parameters === undefined ? undefined : limitValues(otherParameters, 'parameters'),
    filters: limitValues(body.filters === null ? {} : body.filters, 'filters'),
    metrics: body.metrics === undefined ? undefined : parseMetrics(body.metrics, 'metrics'),
    metrics_secondary:
      body.metrics_secondary === undefined ? undefined : parseMetrics(body.metrics_secondary, 'metrics_secondary'),
    exposure_criteria: limitValues(body.exposure_criteria === null ? {} : body.exposure_criteria, 'exposure_criteria'),
    archived: body.archived,
  };
  return {
    fields: omitUndefined(fields),
    arrangement: omitUndefined({ feature_flag_variants, aggregation_group_type_index, rollout_percentage }),
  };
}

function parseInstant(text: string | null | undefined, attr: string): string | null | undefined {
  return typeof text === 'string' ? readDatetime(text, attr) : text;
}

/**
 * Checks the order of phases: a draft is launched, then ends, then may be archived. A launch in the future can be undone.
 * @param before undefined for a new experiment
 * @throws InvalidInput for phases in another order
 */
export function checkPhases(
  before: Pick<ExperimentFields, 'start_date' | 'end_date' | 'archived'> | undefined,
  after: Pick<ExperimentFields, 'start_date' | 'end_date' | 'archived' | 'metrics' | 'metrics_secondary'>,
): void {
  const { start_date: start, end_date: end, archived } = after;
  const phaseBefore = before && phaseOf(before);
  if (phaseBefore === 'running' || phaseBefore === 'stopped') checkStart(phaseBefore, start);
  if (end && !start) throw new InvalidInput('An experiment that was not launched cannot end.', 'end_date');
  if (start && end && start >= end) {
    const endsBeforeStart = phaseBefore === 'scheduled' && phaseOf(after) === 'stopped';
    const advice = '. The experiment is scheduled and has not begun: send `start_date: null` to make it a draft again.';
    throw new InvalidInput(`End date must be after start date${endsBeforeStart ? advice : ''}`, 'end_date');
  }
  if (archived && phaseOf(after) !== 'stopped') {
    throw new InvalidInput(
      before?.archived
        ? 'The experiment is archived, and only an ended experiment can be. Send `archived: false` too to let it run again.'
        : 'Experiment must be ended before it can be archived.',
      'archived',
    );
  }
  const uuids = [...after.metrics, ...after.metrics_secondary].map(({ uuid }) => uuid);
  const duplicate = uuids.find((uuid, index) => uuids.indexOf(uuid) !== index);
  if (duplicate === undefined) return;
  throw new InvalidInput(`Duplicate metric UUID: '${duplicate}'. Each metric must have a unique UUID.`, 'metrics');
}

/**
 * Checks the new start of a launched experiment. The date may be corrected, but the launch cannot be undone, because persons have seen variants.
 * @throws InvalidInput for a start that is removed or moved to the future
 */
function checkStart(phase: 'running' | 'stopped', start: string | null): void {
  if (!start) throw new InvalidInput('An experiment that was launched cannot become a draft again.', 'start_date');
  if (phaseOf({ start_date: start, end_date: null }) !== 'scheduled') return;
  throw new InvalidInput(
    'The experiment has begun, so its start cannot move to the future. ' +
      `${phase === 'running' ? 'End it and create' : 'Create'} another experiment, which may use the same flag.`,
    'start_date',
  );
}
