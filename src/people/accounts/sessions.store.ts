/** Rows of sessions: a browser in which somebody gave their password. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';

export const SESSION_DAYS = 14;

export type Session = { id: string; userId: number; authenticatedAt: Date };

type Row = {
  id: string;
  token_hash: Buffer;
  user_id: number;
  authenticated_at: string;
  expires_at: string;
};

export function sessionStore(db: Knex) {
  const table = () => db<Row>('sessions');

  return {
    /** Begins now, and removes those of everybody that have ended. */
    async create(userId: number, tokenHash: Buffer): Promise<void> {
      await table().where('expires_at', '<', db.raw('now()')).delete();
      await table().insert({
        id: randomUUID(),
        user_id: userId,
        token_hash: tokenHash,
        expires_at: db.raw(`now() + interval '${SESSION_DAYS} days'`),
      });
    },

    /** One that goes on, of a user who may still log in. */
    async find(tokenHash: Buffer): Promise<Session | undefined> {
      // tooth: session-expiry
      // tooth: session-of-active-user
      const row = await table()
        .whereIn('user_id', db('users').where({ is_active: true }).select('id'))
        .where({ token_hash: tokenHash })
        .where('expires_at', '>', db.raw('now()'))
        .first('id', 'user_id', 'authenticated_at');
      return row && { id: row.id, userId: row.user_id, authenticatedAt: new Date(row.authenticated_at) };
    },

    async end(tokenHash: Buffer): Promise<void> {
      await table().where({ token_hash: tokenHash }).delete();
    },

    /** All of a user's but one: after a new password nobody stays who came in with the old one. */
    async endOthers(userId: number, except: string | null): Promise<void> {
      const ended = table().where({ user_id: userId });
      if (except !== null) ended.whereNot({ id: except });
      await ended.delete();
    },
  };
}

export type SessionStore = ReturnType<typeof sessionStore>;
