/**
 * An event is compressed beyond 4 kB rather than 2: with the properties of their person many pass 2 kB, and compressing them
 * was a fifth of what storing them costs Postgres. Those that are stored already stay as they are.
 */
import type { Knex } from '../src/platform/db/connection.ts';

const PLAIN = '(like events including all)';
const WITH_TARGET = `${PLAIN} with (toast_tuple_target = 4080)`;

export async function up(knex: Knex): Promise<void> {
  await knex.raw(onEachPartition('set (toast_tuple_target = 4080)'));
  await knex.raw(withPartitionsMadeBy(PLAIN, WITH_TARGET));
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(withPartitionsMadeBy(WITH_TARGET, PLAIN));
  await knex.raw(onEachPartition('reset (toast_tuple_target)'));
}

/** Writers need not wait for it. */
function onEachPartition(action: string): string {
  return `do $$ declare
    partition regclass;
  begin
    for partition in select inhrelid from pg_inherits where inhparent = 'events'::regclass loop
      execute format('alter table %s ${action}', partition);
    end loop;
  end $$`;
}

/** Redefines make_event_partitions() (0002), which is to stay the same beside this. */
function withPartitionsMadeBy(former: string, latter: string): string {
  return `do $$ begin
    execute replace(pg_get_functiondef('make_event_partitions'::regproc), '${former}', '${latter}');
  end $$`;
}
