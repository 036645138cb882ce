/** All checks of an installation, in the order in which a person would look: later checks depend on earlier ones. */
import { setTimeout as sleep } from 'node:timers/promises';
import { exportTestSteps } from '../../exports/integrations/test-steps.ts';
import type { Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { createLogger } from '../../platform/telemetry/logger.ts';
import { createEngine, type EngineOptions } from '../engine.ts';
import { engineOptions, plannedProcesses } from '../engine-options.ts';
import { compareKeys } from '../secrets-check.ts';
import { clientHost } from '../up/running-up.ts';
import { readReport } from '../up/report.ts';
import { databaseChecks, SCHEMA } from './database-checks.ts';
import { diagnose, problem, type Diagnosis } from './diagnosis.ts';
import { checkDestination, checkEncryptionKeys } from './export-checks.ts';
import { checkApi, checkConfiguration, checkDisk, checkPorts } from './machine-checks.ts';
import { temporalChecks } from './temporal-checks.ts';

/** Time for connections to close, in milliseconds. */
const CLOSE_MS = 2_000;

export const CONFIGURATION_FIX = 'Correct the variables; docs/configuration.md lists all of them.';

/** @param destinations whether to run the test steps of each export's destination */
export async function* examineInstallation(
  config: Config,
  { destinations }: { destinations: boolean },
): AsyncGenerator<Diagnosis> {
  let options: EngineOptions;
  try {
    options = engineOptions(config, createLogger({ ...config, LOG_LEVEL: 'silent' }, 'doctor'));
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    yield { check: 'configuration', ...problem(error.message, CONFIGURATION_FIX) };
    return;
  }
  const engine = createEngine(options);
  const { pool, stores, temporal, timeline } = engine;
  try {
    const report = await readReport(config.SLUICE_STATE_DIR);
    const url = report?.api_url ?? `http://${clientHost(config.SLUICE_HOST)}:${config.SLUICE_PORT}`;
    let isSchemaRight = false;
    for await (const diagnosis of diagnose([
      checkConfiguration(config),
      checkDisk(config),
      checkPorts(config),
      ...databaseChecks({ pool, planned: plannedProcesses(config) }),
      ...temporalChecks({
        client: temporal.client,
        schedules: engine.schedules,
        findLastRound: () => stores.rounds.findLastRound(),
        deliveriesBlocked: () => timeline.reason(),
      }),
      checkApi(url),
      checkEncryptionKeys(() => compareKeys(pool, options.encryptionKeys)),
    ])) {
      if (diagnosis.check === SCHEMA) isSchemaRight = diagnosis.level === 'ok';
      yield diagnosis;
    }
    if (!destinations) return;
    if (!isSchemaRight) {
      yield { check: 'destinations', level: 'skipped', detail: `Not checked, because of the problem with ${SCHEMA}.` };
      return;
    }
    const steps = exportTestSteps(engine);
    for (const id of await stores.freshness.listIds()) {
      const batchExport = await stores.batchExports.find(id);
      if (batchExport) yield* diagnose([checkDestination(batchExport, steps)]);
    }
  } finally {
    // A statement that Postgres does not answer would keep its pool open for good.
    await Promise.race([engine.close(), sleep(CLOSE_MS, undefined, { ref: false })]);
  }
}
