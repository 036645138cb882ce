import { Command } from 'commander';
import { readConfig, requireVariable } from '../../platform/config.ts';
import { createPool, type Pool } from '../../platform/db/connection.ts';
import { POOLS } from '../../platform/db/pools.ts';
import { findSwitchedOnAt, turnOnReferences } from '../../events/table/state-switch.ts';
import { fillFromRunningUp } from '../up/running-up.ts';

export function statesCommand(): Command {
  return new Command('states')
    .summary('store each state of a person once, or show whether that is done')
    .description(
      'Shows whether new events carry a copy of their person’s properties or refer to a state that is stored once, and which processes are ' +
        'connected to the database of DATABASE_URL. With --refer, events refer to states from now on. That is for good: there is no way back to a ' +
        'version that does not know states, and processes of such a version fail at once. Events that are stored already stay as they are.',
    )
    .option('--refer', 'let events refer to states from now on, when all processes have this version', false)
    .action(run);
}

async function run({ refer }: { refer: boolean }): Promise<void> {
  const url = requireVariable(await fillFromRunningUp(readConfig()), 'DATABASE_URL');
  const pool = createPool({ url, ...POOLS.migrate });
  try {
    if (refer && (await turnOnReferences(pool))) return console.log('Events refer to states of persons from now on.');
    const since = await findSwitchedOnAt(pool);
    console.log(
      since === null
        ? 'Events carry copies of the properties of their persons. With --refer, they refer to states that are stored once.'
        : `Events refer to states of persons since ${since}.`,
    );
    if (since === null) await listProcesses(pool);
  } finally {
    await pool.end();
  }
}

/** Versions are not known to the database, so an operator has to compare. */
async function listProcesses(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ host: string; names: string; since: string }>(
    `select coalesce(host(client_addr), 'this machine') as host, string_agg(distinct application_name, ', ') as names, min(backend_start) as since
     from pg_stat_activity where datname = current_database() and application_name like 'sluice-%' and pid <> pg_backend_pid()
     group by 1 order by 1`,
  );
  console.log(rows.length === 0 ? 'No process is connected.' : 'Make sure that all of these have this version:');
  for (const { host, names, since } of rows) console.log(`    ${host} (${names}), since ${since}`);
}
