/** Tests a destination step by step before the first export, with the configuration as it would be stored. */
import { randomUUID } from 'node:crypto';
import type { DestinationEnvironment } from '../destinations/environment.ts';
import { destinations as offered } from '../destinations/index.ts';
import type { TestStep, TestSubject } from '../destinations/test-steps.ts';
import { DestinationRejected, DestinationUnavailable, InvalidInput } from '../../platform/errors.ts';
import { columnsOf, mergeOf } from '../../events/reading/selection.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ExportPatch, NewExport } from '../batch-exports/batch-exports.ts';
import { contentColumns, contentOf } from '../batch-exports/content.ts';
import { destinationChoice, type ChosenDestination } from './destination-choice.ts';
import { cadenceWith } from '../domain/cadence.ts';
import { NO_SETTINGS, type Model } from '../../conditions/rows/content.ts';
import type { ConfigEncryption } from './config-encryption.ts';
import type { ExportStores } from '../stores.ts';

const STEP_MS = 10_000;

export type TestResult = { status: 'Passed' | 'Failed' | 'Skipped'; message: string | null };
export type TestedStep = Pick<TestStep, 'name' | 'description'> & { result: TestResult };

export type TestStepsOptions = {
  stores: ExportStores;
  configs: ConfigEncryption;
  environment: DestinationEnvironment;
  log: Logger;
  /** How long a step may take, in milliseconds. */
  stepMs?: number;
};

export function exportTestSteps({ stores, configs, environment, log, stepMs = STEP_MS }: TestStepsOptions) {
  const destinations = destinationChoice({ stores, configs, environment });

  async function runStep(
    { destination, config }: ChosenDestination,
    subject: TestSubject,
    index: number,
  ): Promise<TestedStep> {
    const step = destination.steps[index];
    if (!step) {
      const last = destination.steps.length - 1;
      throw new InvalidInput(`Ensure this value is less than or equal to ${last}.`, 'step', 'max_value');
    }
    const signal = AbortSignal.timeout(stepMs);
    const { name, description } = step;
    try {
      const outcome = await withTimeout(step.run(config, { ...subject, environment, signal }), signal);
      const result: TestResult = outcome
        ? { status: 'Skipped', message: outcome.skipped }
        : { status: 'Passed', message: null };
      return { name, description, result };
    } catch (error) {
      return { name, description, result: { status: 'Failed', message: explain(error, signal) } };
    }
  }

  function explain(error: unknown, signal: AbortSignal): string {
    if (signal.aborted) return `The destination did not answer within ${stepMs / 1000} seconds.`;
    if (error instanceof DestinationRejected || error instanceof DestinationUnavailable) return error.message;
    log.error({ err: error }, 'a test step failed');
    return 'The test step failed with an unknown error.';
  }

  return {
    /** Destinations that this installation offers. */
    destinations: () => offered(environment),

    /** The external id with which roles are assumed for the project; null if the installation assumes none. */
    awsExternalIdOf: async (projectId: number): Promise<string | null> =>
      (await environment.awsRoles?.externalIdOf(projectId)) ?? null,

    /** @returns undefined for a type that is not offered */
    stepsOf(type: string): Pick<TestStep, 'name' | 'description'>[] | undefined {
      const destination = offered(environment).find((candidate) => candidate.type === type);
      return destination?.steps.map(({ name, description }) => ({ name, description }));
    },

    /** @throws InvalidInput naming the field, as when the export is created */
    async runNew(projectId: number, newExport: NewExport, index: number): Promise<TestedStep> {
      cadenceWith(newExport);
      const choice = await destinations.choose(projectId, newExport.destination);
      const draft = { id: randomUUID(), projectId, model: newExport.model, content: NO_SETTINGS, hashKey: null };
      const { content } = contentColumns(configs, draft, newExport, choice);
      return runStep(choice, subjectOf(projectId, newExport.model, content, choice), index);
    },

    /** @throws InvalidInput naming the field, as when the export is changed; NotFound */
    async runStored(projectId: number, id: string, patch: ExportPatch, index: number): Promise<TestedStep> {
      const current = await stores.batchExports.get(projectId, id);
      const destination = patch.destination ?? { type: current.destinationType, config: {} };
      cadenceWith(patch, current);
      const choice = await destinations.choose(projectId, destination, current);
      const { content } = contentColumns(configs, current, patch, choice);
      return runStep(choice, subjectOf(projectId, current.model, content, choice), index);
    },
  };
}

export type ExportTestSteps = ReturnType<typeof exportTestSteps>;

function subjectOf(
  projectId: number,
  model: Model,
  settings: Parameters<typeof contentOf>[0]['content'],
  { destination, config }: ChosenDestination,
): TestSubject {
  const content = contentOf({ model, content: settings, destinationConfig: config });
  const isTable = destination.takes === 'rows';
  return { projectId, model, columns: columnsOf(content, destination.takes), merge: isTable ? mergeOf(content) : null };
}

/** Limits how long the caller waits, even if the step ignores its signal. */
async function withTimeout<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: timedOut, reject } = Promise.withResolvers<never>();
  const fail = () => reject(signal.reason as Error);
  signal.addEventListener('abort', fail, { once: true });
  try {
    return await Promise.race([work, timedOut]);
  } finally {
    signal.removeEventListener('abort', fail);
  }
}
