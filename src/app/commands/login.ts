import { Command } from 'commander';
import { readConfig, requireVariable, type Config } from '../../platform/config.ts';
import { CommandFailed } from '../../platform/errors.ts';
import { fillFromRunningUp, clientHost } from '../up/running-up.ts';
import { readReport } from '../up/report.ts';
import { createSignInUrl, acceptsSignInLinks } from '../up/sign-in.ts';

export function loginCommand(): Command {
  return new Command('login')
    .summary('print a link that logs in a user, in a browser on this machine')
    .description(
      'For operators. The link works once, for ten minutes, and only on the machine that runs the API, without a proxy in between. ' +
        'Changing the user’s password ends it.',
    )
    .argument('[email]', 'email address of the user (default: the demo user of `sluice up`)')
    .option('--json', 'print the result as JSON', false)
    .action(run);
}

async function run(emailOption: string | undefined, { json }: { json: boolean }): Promise<void> {
  const config = await fillFromRunningUp(readConfig());
  const report = await readReport(config.SLUICE_STATE_DIR);
  const email = emailOption ?? report?.email;
  if (email === undefined) throw new CommandFailed('Give the email address of a user: sluice login ann@example.com');
  const databaseUrl = requireVariable(config, 'DATABASE_URL');
  const apiUrl = report?.api_url ?? apiUrlOf(config);
  if (!acceptsSignInLinks(apiUrl)) {
    throw new CommandFailed(
      `The API at ${apiUrl} is not on a loopback address, and login links work only there: set SLUICE_HOST to 127.0.0.1 or ` +
        '0.0.0.0, or give the user a password with `sluice users password`.',
    );
  }
  const url = await createSignInUrl({ databaseUrl, apiUrl, email });
  if (url === null) throw new CommandFailed(`There is no user ${email} who may log in.`);
  if (json) return console.log(JSON.stringify({ email, url }));
  console.log(url);
  console.error(`This link logs in ${email} once, within ten minutes, in a browser on this machine.`);
}

function apiUrlOf({ SLUICE_HOST: host, SLUICE_PORT: port }: Config): string {
  return `http://${clientHost(host)}:${port}`;
}
