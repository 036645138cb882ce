/**
 * The witness of the timeline, as the database knows it, and versions of persons above those of another timeline. The witness itself is
 * a workflow, which the first worker makes: until then nothing is compared.
 */
import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table timeline
      add column versions_above bigint not null default 0,
      add column witness_previous uuid,
      add column witness_next uuid,
      add column agreed_at timestamptz,
      add column blocked text check (blocked in ('differs', 'missing')),
      add column blocked_at timestamptz,
      add column recovered_at timestamptz;
    comment on column timeline.versions_above is 'every version of a person from now on is higher: those of another timeline are not';
    comment on column timeline.witness_previous is 'what the witness held last; null: the witness is not yet created';
    comment on column timeline.witness_next is 'what it holds already, or is about to get';
    comment on column timeline.blocked is 'why nothing is delivered: what the witness in Temporal said; null: deliveries go on';
    comment on column timeline.recovered_at is 'when an operator last ran recover';
  `);
  for (const [name, changes] of Object.entries(CHANGES)) await changeFunction(knex, name, changes);
}

export async function down(knex: Knex): Promise<void> {
  for (const [name, changes] of Object.entries(CHANGES)) {
    await changeFunction(
      knex,
      name,
      changes.map(([before, after]) => [after, before]),
    );
  }
  await knex.raw(`
    alter table timeline drop column versions_above, drop column witness_previous, drop column witness_next, drop column agreed_at,
      drop column blocked, drop column blocked_at, drop column recovered_at
  `);
}

type Change = [before: string, after: string];

/** Functions that give persons their versions: what becomes another text in each. */
const CHANGES: Record<string, Change[]> = {
  change_persons: [
    [
      "origin constant timestamptz := '2000-01-01Z';",
      "origin constant timestamptz := '2000-01-01Z'; above constant bigint := (select versions_above from timeline);",
    ],
    [
      'select project, distinct_id, person_id, 1, stored_at from',
      'select project, distinct_id, person_id, above + 1, stored_at from',
    ],
    ['version = known.version + 1', 'version = greatest(known.version, above) + 1'],
  ],
  delete_persons: [
    ['deleted int;', 'deleted int; above constant bigint := (select versions_above from timeline);'],
    ['version = known.version + 1', 'version = greatest(known.version, above) + 1'],
  ],
};

/** Replaces texts in a function's present definition, whichever migration made it. @throws Error when one is not there exactly once */
async function changeFunction(knex: Knex, name: string, changes: readonly Change[]): Promise<void> {
  const { rows } = await knex.raw<{ rows: { definition: string }[] }>(
    `select pg_get_functiondef(to_regproc(?)) as definition`,
    [name],
  );
  let definition = rows[0]!.definition;
  for (const [before, after] of changes) {
    if (definition.split(before).length !== 2) throw new Error(`${name} does not say ${before} once`);
    definition = definition.replace(before, () => after);
  }
  // As a parameter would be, question marks are left alone.
  await knex.raw(definition.replaceAll('?', '\\?'));
}
