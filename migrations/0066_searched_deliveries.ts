/** Erasures: deliveries that were made again are read back and searched. */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table erased_deliveries
      add column searched_run uuid,
      add column files_searched int,
      add column rows_found bigint,
      add column search_failures int not null default 0,
      add column searched_at timestamptz;
    comment on column erased_deliveries.searched_run is 'the run whose delivery is being searched for the persons, or was';
    comment on column erased_deliveries.files_searched is 'number of its files that were read; null: all';
    comment on column erased_deliveries.rows_found is 'rows of the persons in these files';
    comment on column erased_deliveries.search_failures is 'how often the search failed since it last read a file';
    comment on column erasures.person_ids is 'empty once no delivery is to be searched for the persons any more';
    comment on column erasures.distinct_ids is 'empty once no delivery is to be searched for the persons any more';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table erased_deliveries
      drop column searched_run, drop column files_searched, drop column rows_found, drop column search_failures, drop column searched_at;
    comment on column erasures.person_ids is 'empty once the erasure has ended';
    comment on column erasures.distinct_ids is 'empty once the erasure has ended';
  `);
}
