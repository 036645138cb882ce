/** Stored salts. They are never a statement's parameter, because Postgres may log parameters. */
import type { Knex } from '../../platform/db/connection.ts';

export type StoredSalt = {
  salt: Buffer;
  /** Milliseconds since 1970. */
  beganAt: number;
  /** Milliseconds until its day is over. */
  msLeft: number;
};

type Row = { salt: Buffer; began_at: number; ms_left: number };

const COLUMNS = `salt, (extract(epoch from begins_at) * 1000)::float8 as began_at,
  (extract(epoch from ends_at - clock_timestamp()) * 1000)::float8 as ms_left`;

export function saltStore(db: Knex) {
  async function firstSalt(sql: string, values: number[]): Promise<StoredSalt | undefined> {
    const { rows } = await db.raw<{ rows: Row[] }>(sql, values);
    return rows[0] && { salt: rows[0].salt, beganAt: rows[0].began_at, msLeft: rows[0].ms_left };
  }

  return {
    /** Returns the salt of the project's present day, which the first request for it creates. */
    async getTodaysSalt(projectId: number): Promise<StoredSalt> {
      const known = await firstSalt(
        `select ${COLUMNS} from cookieless_salts where project_id = ? and ends_at > clock_timestamp() order by begins_at limit 1`,
        [projectId],
      );
      return known ?? (await firstSalt(`select ${COLUMNS} from make_cookieless_salt(?)`, [projectId]))!;
    },

    /** Deletes salts whose day is over. Only reads if there are none, so no request waits. */
    async forget(): Promise<void> {
      const { rows } = await db.raw<{ rows: unknown[] }>(
        'select from cookieless_salts where ends_at <= clock_timestamp() limit 1',
      );
      if (rows.length > 0) await db.raw('select forget_cookieless_salts()');
    },
  };
}

export type SaltStore = ReturnType<typeof saltStore>;
