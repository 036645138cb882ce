/**
 * Triggers that compare the rows of a statement before and after it.
 *
 * They joined the two by id. PL/pgSQL keeps the plan of a connection's first call, which mostly has one row: a nested loop. Later on that
 * connection, cancelling a backfill of 100,000 requests compared each row with each other one. EXCEPT sorts or hashes whatever the plan.
 */
import type { Knex } from '../src/platform/db/connection.ts';

const begin = (name: string) => `create or replace function ${name}() returns trigger language plpgsql as $$
  begin
    perform`;
const end = `
    return null;
  end $$;`;

const REQUEST = 'id, batch_export_id, data_interval_start, data_interval_end';
const COHORT = 'id, project_id, filters, is_static, deleted';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
  ${begin('notify_export_requests')} notify_export_change('interval', batch_export_id, null, min(data_interval_start), max(data_interval_end))
      from (select ${REQUEST}, closed_at, kind from touched except all select ${REQUEST}, closed_at, kind from earlier) as changed
      group by batch_export_id;${end}
  ${begin('tell_cohort_definitions')} count_definitions(array(
      select distinct project_id
      from (select ${COHORT} from rows_after except all select ${COHORT} from rows_before) as changed));${end}`);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
  ${begin('notify_export_requests')} notify_export_change('interval', batch_export_id, null, min(data_interval_start), max(data_interval_end))
      from touched join earlier using (${REQUEST})
      where touched.closed_at is distinct from earlier.closed_at or touched.kind <> earlier.kind
      group by batch_export_id;${end}
  ${begin('tell_cohort_definitions')} count_definitions(array(
      select distinct after.project_id from rows_after as after join rows_before as before using (id)
      where (after.filters, after.is_static, after.deleted) is distinct from (before.filters, before.is_static, before.deleted)));${end}`);
}
