import { Command } from 'commander';
import { readConfig, requireVariable } from '../../platform/config.ts';
import { createKnex } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { rollback } from '../../platform/db/migrate.ts';
import { seedDemo } from '../../people/demo.store.ts';
import { prepareDatabase } from '../prepare-database.ts';

type Options = { rollback: boolean; demo: boolean; json: boolean };
/** Names of migrations and partitions by what was done: `applied`, `partitioned` or `undone`. */
type Result = { [verb: string]: string[] };

export function migrateCommand(): Command {
  return new Command('migrate')
    .summary('update the database to this version’s schema')
    .description(
      'Applies the missing migrations to the database of DATABASE_URL, and creates the event partitions of the coming months. Safe to ' +
        'repeat, and to run several times at once.',
    )
    .option('--demo', 'also create the demo organization, user and project, and print new keys for it', false)
    .option('--rollback', 'undo the newest batch of migrations instead (for development only: it drops data)', false)
    .option('--json', 'print the result as JSON', false)
    .action(run);
}

async function run(options: Options): Promise<void> {
  const url = requireVariable(readConfig(), 'DATABASE_URL');
  const result: Result = options.rollback ? { undone: await rollback(url) } : await prepareDatabase(url);
  const demo = options.demo ? await demoKeys(url) : undefined;
  if (options.json) return console.log(JSON.stringify({ ...result, ...(demo && { demo }) }));
  const lines = Object.entries(result).flatMap(([verb, names]) => names.map((name) => `${verb} ${name}`));
  console.log(lines.join('\n') || 'nothing to do');
  if (demo)
    console.log(
      Object.entries(demo)
        .map(([name, value]) => `${name} ${value}`)
        .join('\n'),
    );
}

/** Returns the demo's keys under the names of `dev.json`. Replaces the personal key, because an existing one cannot be read back. */
async function demoKeys(url: string): Promise<Record<string, string | number>> {
  const db = createKnex({ url, ...POOLS.migrate });
  try {
    const { projectId, projectApiKey, personalApiKey } = await seedDemo(db);
    return { project_id: projectId, project_api_key: projectApiKey, personal_api_key: personalApiKey };
  } finally {
    await db.destroy();
  }
}
