/**
 * Time zones and offsets of days, weeks and months, also in the history of specs: what an interval was is decided by the zone
 * and offsets of then. Jitter is of the schedule alone.
 */
import type { Knex } from '../src/platform/db/connection.ts';

const CADENCE = ['timezone', 'offset_day', 'offset_hour'];

export async function up(knex: Knex): Promise<void> {
  for (const table of ['batch_exports', 'batch_export_specs']) {
    await knex.raw(`
      alter table ${table}
        add timezone text not null default 'UTC',
        add offset_day smallint not null default 0,
        add offset_hour smallint not null default 0;
      comment on column ${table}.timezone is 'IANA name; days, weeks and months begin on its clocks';
    `);
  }
  await knex.raw(`alter table batch_exports add jitter_seconds integer not null default 0`);
}

const drops = (columns: string[]) => columns.map((column) => `drop ${column}`).join(', ');

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`alter table batch_exports ${drops([...CADENCE, 'jitter_seconds'])}`);
  await knex.raw(`alter table batch_export_specs ${drops(CADENCE)}`);
}
