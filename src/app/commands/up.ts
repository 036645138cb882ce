import { Command } from 'commander';
import { readConfig } from '../../platform/config.ts';
import { stopSignals } from '../../platform/processes/stop-signals.ts';
import { reportTable, type Report } from '../up/report.ts';
import { up, type UpOptions } from '../up/up.ts';
import { checkAddressLists } from '../address-lists.ts';

/** How long a forced stop may still take; the next start ends what is left. */
const FORCED_STOP_MS = 3_000;

export function upCommand(): Command {
  return new Command('up')
    .summary('run everything on this machine: Postgres, Temporal, API and worker')
    .description(
      'Runs Postgres, Temporal with its UI, the API and a worker until Ctrl-C. State, logs and dev.json (addresses and ' +
        'keys) are in SLUICE_STATE_DIR. With DATABASE_URL or TEMPORAL_ADDRESS it uses that server instead of starting one.',
    )
    .option('--json', 'print the addresses and keys as one line of JSON when everything is ready', false)
    .action(({ json }: { json: boolean }) => runUp({ json }));
}

/** Runs until Ctrl-C, which only this process receives. */
export async function runUp({ json, ...hooks }: { json: boolean } & Pick<UpOptions, 'onRoles'>): Promise<void> {
  const config = readConfig();
  checkAddressLists(config);
  const signals = stopSignals();
  void signals.forced.then(() => setTimeout(() => process.exit(1), FORCED_STOP_MS).unref());
  await up({
    ...hooks,
    config,
    signals,
    onProgress: (message) => console.error(`· ${message}`),
    onReady: (report) => console.log(json ? JSON.stringify(report) : readyText(report, config.SLUICE_STATE_DIR)),
  });
}

function readyText(report: Report, stateFolder: string): string {
  return `
Sluice is ready.

${reportTable(report)}
${signInLine(report)}
State and logs are in ${stateFolder}, this table in ${stateFolder}/dev.json. Ctrl-C stops everything.
`;
}

function signInLine({ sign_in_url: url }: Report): string {
  if (url === null) return '';
  return `\nOpen ${url}\nto log in: once, within ten minutes, on this machine. \`bin/sluice login\` prints another.\n`;
}
