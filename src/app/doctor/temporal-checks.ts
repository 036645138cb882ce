/** Checks of Temporal: whether it answers, whether workers take work, and whether the reconciler makes its rounds. */
import type { RoundFigures } from '../../exports/monitoring/rounds.store.ts';
import { TASK_QUEUES } from '../../exports/domain/task-queues.ts';
import { RECONCILER, type ExportSchedules } from '../../exports/temporal/schedules.ts';
import { Unavailable } from '../../platform/errors.ts';
import type { TemporalClient } from '../../platform/temporal/connection.ts';
import { namespaceExists, readServerVersion } from '../../platform/temporal/namespace.ts';
import { hasPollers } from '../../platform/temporal/pollers.ts';
import { SCHEMA } from './database-checks.ts';
import { ok, problem, warning, type Examination, type Finding } from './diagnosis.ts';

/** Rounds begin every 45 seconds and take seconds; one whose steps all reach their deadlines takes four and a half minutes. */
const LATE_ROUND_S = 600;
/** The version of the tests. Older ones may lack updates of workflows, and what else workers need. */
const TESTED_SERVER = '1.29';
const WORKERS = 'temporal workers';
const TEMPORAL = 'temporal';

/** @param version of Temporal's server, such as 1.29.1 */
export function rateServer(version: string, namespace: string): Finding {
  const [tested, found] = [TESTED_SERVER, version].map((text) => text.split('.').map(Number));
  const [major, minor] = [found![0]! - tested![0]!, found![1]! - tested![1]!];
  if (major < 0 || (major === 0 && minor < 0))
    return warning(
      `Temporal ${version} is older than ${TESTED_SERVER}, with which Sluice is tested.`,
      `Upgrade Temporal's server to ${TESTED_SERVER} or newer.`,
    );
  return ok(`Temporal ${version} answers, and has the namespace ${namespace}.`);
}

type Dependencies = Pick<TemporalClient, 'client'> & {
  schedules: Pick<ExportSchedules, 'findReconciler'>;
  findLastRound(): Promise<RoundFigures | undefined>;
  /** The reason why nothing is delivered; undefined: deliveries work. */
  deliveriesBlocked(): Promise<string | undefined>;
};

export function temporalChecks({ client, schedules, findLastRound, deliveriesBlocked }: Dependencies): Examination[] {
  const { namespace } = client.options;
  return [
    {
      name: TEMPORAL,
      async run() {
        try {
          if (await namespaceExists(client)) return rateServer(await readServerVersion(client), namespace);
        } catch (error) {
          if (!(error instanceof Unavailable)) throw error;
          return problem(
            'Temporal does not answer.',
            'Start Temporal, or correct TEMPORAL_ADDRESS, which is host:port.',
          );
        }
        return problem(
          `Temporal has no namespace ${namespace}.`,
          'Start a worker, which creates it, or correct TEMPORAL_NAMESPACE.',
        );
      },
    },
    {
      name: WORKERS,
      needs: [TEMPORAL],
      async run() {
        const missing = [];
        for (const [queue, type] of [
          [TASK_QUEUES.control, 'workflow'],
          [TASK_QUEUES.control, 'activity'],
          [TASK_QUEUES.parts, 'activity'],
        ] as const)
          if (!(await hasPollers(client, queue, type))) missing.push(`${queue} (${type} tasks)`);
        if (missing.length === 0) return ok('Workers poll every task queue.');
        return problem(
          `No worker has polled ${missing.join(', ')} in the last five minutes, so runs wait.`,
          'Start one with `bin/sluice worker`, with the TEMPORAL_NAMESPACE of the API, and read its log.',
        );
      },
    },
    {
      name: 'reconciler',
      needs: [TEMPORAL, SCHEMA, WORKERS],
      async run() {
        const schedule = await schedules.findReconciler();
        if (!schedule)
          return problem(
            'Temporal has no schedule of the reconciler, so nothing is repaired.',
            'Restart a worker, which makes it.',
          );
        if (schedule.paused)
          return problem(
            'The schedule of the reconciler is paused, so nothing is repaired.',
            `Unpause it: \`temporal schedule toggle --unpause --schedule-id ${RECONCILER} --reason doctor\`.`,
          );
        const round = await findLastRound();
        if (!round)
          return warning('The reconciler has not finished a round yet.', 'Wait a minute; then read a worker’s log.');
        const age = `The reconciler’s last round ended ${Math.round(round.ageSeconds)} s ago`;
        if (round.ageSeconds > LATE_ROUND_S)
          return problem(`${age}.`, 'Read a worker’s log: rounds begin every 45 seconds.');
        return round.failures > 0
          ? warning(`${age}; ${round.failures} of its steps failed.`, 'Read a worker’s log, which names them.')
          : ok(`${age}.`);
      },
    },
    {
      name: 'deliveries',
      needs: [SCHEMA],
      async run() {
        const reason = await deliveriesBlocked();
        return reason === undefined
          ? ok('Deliveries are not blocked.')
          : problem(reason, 'Follow docs/restores.md; `bin/sluice recover --dry-run` shows the differences first.');
      },
    },
  ];
}
