/** Rows that refer to states of persons, made of rows that carry copies. */
import type { Pool } from '../../../src/platform/db/connection.ts';

const TABLES = [
  { table: 'events', copy: 'person_properties' },
  { table: 'person_versions', copy: 'properties' },
];

/** Stores each state of a person once, and lets all events and versions of persons refer to it. States are told apart by their text. */
export async function referToStates(pool: Pool): Promise<void> {
  const copies = TABLES.map(
    ({ table, copy }) =>
      `select project_id, person_id, ${copy}::text as properties from ${table} where ${copy} is not null`,
  );
  await pool.query(
    `insert into person_states (project_id, person_id, properties, is_final, stored_at)
     select project_id, person_id, properties::jsonb, true, now() from (${copies.join(' union ')}) as copies where properties <> '{}'`,
  );
  for (const { table, copy } of TABLES) {
    await pool.query(
      `update ${table} set ${copy} = null, person_state = coalesce((
         select version from person_states as state
         where state.project_id = ${table}.project_id and state.person_id = ${table}.person_id and state.properties::text = ${table}.${copy}::text
       ), 0) where ${copy} is not null`,
    );
  }
}
