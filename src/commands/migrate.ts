import { Command } from 'commander';
import { readConfig, requireVariable } from '../config.ts';
import { rollback } from '../db/migrate.ts';
import { prepareDatabase } from '../prepare-database.ts';

type Options = { rollback: boolean; json: boolean };

export function migrateCommand(): Command {
  return new Command('migrate')
    .summary('bring the database to this version’s schema')
    .description(
      'Applies what DATABASE_URL’s database has not seen yet and makes the coming months’ partitions of events. Safe to ' +
        'repeat, and to run many times at once.',
    )
    .option('--rollback', 'undo the newest batch instead (development only: it drops data)', false)
    .option('--json', 'print the result as JSON', false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const url = requireVariable(readConfig(), 'DATABASE_URL');
  const result = options.rollback ? { undone: await rollback(url) } : await prepareDatabase(url);
  if (options.json) return console.log(JSON.stringify(result));
  const lines = Object.entries(result).flatMap(([verb, names]) => names.map((name) => `${verb} ${name}`));
  console.log(lines.join('\n') || 'nothing to do');
}
