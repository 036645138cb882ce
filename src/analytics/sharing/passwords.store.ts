/** Rows of passwords of shared pages. Only their hashes are stored. */
import type { Knex } from '../../platform/db/connection.ts';

export type SharePassword = {
  id: number;
  passwordHash: string;
  note: string | null;
  createdBy: number | null;
  createdAt: string;
};

type Row = {
  id: number;
  sharing_configuration_id: number;
  password_hash: string;
  note: string | null;
  is_active: boolean;
  created_by: number | null;
  created_at: string;
};

function sharePasswordFrom(row: Row): SharePassword {
  return {
    id: row.id,
    passwordHash: row.password_hash,
    note: row.note,
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

export function sharePasswordStore(db: Knex) {
  const active = (configurationId: number) =>
    db<Row>('share_passwords').where({ sharing_configuration_id: configurationId, is_active: true });

  return {
    /** Passwords that open the page, the oldest first. */
    async list(configurationId: number): Promise<SharePassword[]> {
      return (await active(configurationId).orderBy('id')).map(sharePasswordFrom);
    },

    async isActive(configurationId: number, id: number): Promise<boolean> {
      return (await active(configurationId).where({ id }).first('id')) !== undefined;
    },

    async insert(
      configurationId: number,
      { passwordHash, note, createdBy }: Pick<SharePassword, 'passwordHash' | 'note' | 'createdBy'>,
    ): Promise<SharePassword> {
      const [row] = await db<Row>('share_passwords')
        .insert({
          sharing_configuration_id: configurationId,
          password_hash: passwordHash,
          note,
          created_by: createdBy,
        })
        .returning('*');
      return sharePasswordFrom(row!);
    },

    /** Ends a password: it opens nothing from now on. @returns false when it was not active */
    async deactivate(configurationId: number, id: number): Promise<boolean> {
      return (await active(configurationId).where({ id }).update({ is_active: false })) > 0;
    },
  };
}
