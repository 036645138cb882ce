/** Rows of integrations: credentials that several batch exports of a project share. */
import { inTransaction } from '../../platform/db/transactions.ts';
import { SQL_STATE, sqlState } from '../../platform/db/sql-states.ts';
import type { Knex } from '../../platform/db/connection.ts';
import { Conflict, NotFound } from '../../platform/errors.ts';

export type Integration = {
  id: number;
  projectId: number;
  kind: string;
  /** Without secrets. */
  config: Record<string, unknown>;
  /** Encrypted; null when there are none. */
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

export function integrationStore(db: Knex) {
  const rowsOfProject = (projectId: number) => db<Row>('integrations').where({ project_id: projectId });

  return {
    /** @throws NotFound when the project has no such integration */
    async get(projectId: number, id: number): Promise<Integration> {
      const row = await rowsOfProject(projectId).where({ id }).first();
      if (!row) throw new NotFound();
      return integrationFromRow(row);
    },

    /** Lists integrations in the order of their creation. */
    async list(
      projectId: number,
      page: { limit: number; offset: number },
    ): Promise<{ count: number; results: Integration[] }> {
      const countRow = (await rowsOfProject(projectId).count({ count: '*' }).first()) as unknown as { count: string };
      const rows = await rowsOfProject(projectId).orderBy('id').limit(page.limit).offset(page.offset);
      return { count: Number(countRow.count), results: rows.map(integrationFromRow) };
    },

    /** @param encrypt returns the row's columns, once the id to which secrets are bound is known */
    async insert(
      projectId: number,
      kind: string,
      encrypt: (id: number) => Pick<Integration, 'config' | 'secrets'>,
    ): Promise<Integration> {
      return inTransaction(db, async (transaction) => {
        const [inserted] = await transaction<Row>('integrations')
          .insert({ project_id: projectId, kind, config: {} })
          .returning('*');
        const [row] = await transaction<Row>('integrations')
          .where({ id: inserted!.id })
          .update(encrypt(inserted!.id))
          .returning('*');
        return integrationFromRow(row!);
      });
    },

    /**
     * Changes secrets under a lock on the row. @param secretsFor returns the new encrypted secrets for the current row
     * @throws NotFound
     */
    async changeSecrets(
      projectId: number,
      id: number,
      secretsFor: (current: Integration) => string | null,
    ): Promise<Integration> {
      return inTransaction(db, async (transaction) => {
        const row = await transaction<Row>('integrations').where({ project_id: projectId, id }).forUpdate().first();
        if (!row) throw new NotFound();
        const secrets = secretsFor(integrationFromRow(row));
        await transaction<Row>('integrations').where({ id }).update({ secrets });
        return integrationFromRow({ ...row, secrets });
      });
    },

    /** Deletes an integration, and removes it from deleted batch exports. @throws Conflict while another batch export uses it; NotFound */
    async delete(projectId: number, id: number): Promise<void> {
      await inTransaction(db, async (transaction) => {
        const row = await transaction<Row>('integrations').where({ project_id: projectId, id }).forUpdate().first('id');
        if (!row) throw new NotFound();
        await transaction('batch_exports')
          .where({ integration_id: id })
          .whereNotNull('deleted_at')
          .update({ integration_id: null });
        await transaction('integrations').where({ id }).delete().catch(throwInUse);
      });
    },
  };
}

function throwInUse(error: unknown): never {
  if (sqlState(error) !== SQL_STATE.foreignKeyViolation) throw error;
  throw new Conflict('Batch exports use this integration: change or delete them first.');
}
