/** Rows of integrations: credentials that several batch exports of a project share. */
import type { Knex } from '../db/connection.ts';
import { Conflict, NotFound } from '../errors.ts';

export type Integration = {
  id: number;
  projectId: number;
  kind: string;
  /** Without secrets. */
  config: Record<string, unknown>;
  /** Sealed; null when there are none. */
  secrets: string | null;
  createdAt: string;
};

type Row = {
  id: number;
  project_id: number;
  kind: string;
  config: Record<string, unknown>;
  secrets: string | null;
  created_at: string;
};

/** An integration's row as one JSON value, for the row that names it by `integration_id`. */
export const INTEGRATION_JSON =
  '(select to_jsonb(integrations) from integrations where integrations.id = integration_id) as integration';

export function integrationFromRow(row: Row): Integration {
  return {
    id: row.id,
    projectId: row.project_id,
    kind: row.kind,
    config: row.config,
    secrets: row.secrets,
    createdAt: row.created_at,
  };
}
export type IntegrationRow = Row;

const FOREIGN_KEY_VIOLATION = '23503';

export function integrationStore(db: Knex) {
  const ofProject = (projectId: number) => db<Row>('integrations').where({ project_id: projectId });

  return {
    /** @throws NotFound when the project has no such integration */
    async get(projectId: number, id: number): Promise<Integration> {
      const row = await ofProject(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return integrationFromRow(row);
    },

    /** In the order in which they were made. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: Integration[] }> {
      const counted = (await ofProject(projectId).count({ count: '*' }).first()) as unknown as { count: string };
      const rows = await ofProject(projectId).orderBy('id').limit(page.limit).offset(page.offset);
      return { count: Number(counted.count), results: rows.map(integrationFromRow) };
    },

    /** @param seal what becomes of the row's columns once its id, to which secrets are bound, is known */
    async insert(
      projectId: number,
      kind: string,
      seal: (id: number) => Pick<Integration, 'config' | 'secrets'>,
    ): Promise<Integration> {
      return db.transaction(async (transaction) => {
        const [made] = await transaction<Row>('integrations')
          .insert({ project_id: projectId, kind, config: {} })
          .returning('*');
        const [row] = await transaction<Row>('integrations')
          .where({ id: made!.id })
          .update(seal(made!.id))
          .returning('*');
        return integrationFromRow(row!);
      });
    },

    async setSecrets({ id }: Integration, secrets: string | null): Promise<void> {
      await db<Row>('integrations').where({ id }).update({ secrets });
    },

    /** @throws Conflict while a batch export uses it; NotFound */
    async delete(projectId: number, id: number): Promise<void> {
      await db('batch_exports')
        .where({ integration_id: id })
        .whereNotNull('deleted_at')
        .update({ integration_id: null });
      const deleted = await ofProject(projectId).where({ id }).delete().catch(sayUsed);
      if (deleted === 0) throw new NotFound();
    },
  };
}

export type IntegrationStore = ReturnType<typeof integrationStore>;

function sayUsed(error: unknown): never {
  if ((error as { code?: string }).code !== FOREIGN_KEY_VIOLATION) throw error;
  throw new Conflict('Batch exports use this integration: change or delete them first.');
}
