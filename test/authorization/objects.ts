/** Objects that are protected one by one, made straight in the database: nobody's, so that no caller is their maker. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../src/platform/db/connection.ts';

type Make = (db: Knex, projectId: number) => Promise<string>;

const idOf = (rows: { id: number | string }[]) => String(rows[0]!.id);

/** By the kind that routes name; each makes one in a project and returns its id. */
export const MAKE: Readonly<Record<string, Make>> = {
  async dashboard(db, projectId) {
    return idOf(await db('dashboards').insert({ project_id: projectId, name: 'Ours' }).returning('id'));
  },
  async insight(db, projectId) {
    const row = { project_id: projectId, short_id: randomUUID().slice(0, 8), name: 'Ours' };
    return idOf(await db('insights').insert(row).returning('id'));
  },
  async feature_flag(db, projectId) {
    const row = {
      project_id: projectId,
      key: randomUUID(),
      name: '',
      filters: { groups: [] },
      active: true,
      ensure_experience_continuity: false,
      evaluation_runtime: 'all',
      bucketing_identifier: 'distinct_id',
      evaluation_contexts: [],
      tags: [],
      is_remote_configuration: false,
      has_encrypted_payloads: false,
    };
    return idOf(await db('feature_flags').insert(row).returning('id'));
  },
  async batch_export(db, projectId) {
    const id = randomUUID();
    await db('batch_exports').insert({
      id,
      project_id: projectId,
      name: 'Ours',
      model: 'events',
      destination_type: 'LocalFile',
      destination_config: { directory: id, prefix: '' },
      key_space: `local:${projectId}/${id}`,
      interval: 'hour',
      paused: true,
    });
    await db('batch_export_specs').insert({ batch_export_id: id, valid_from: '-infinity', interval: 'hour' });
    return id;
  },
};
