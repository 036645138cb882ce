/** Rows of sessions: browsers in which users logged in. */
import { randomUUID } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';

export const SESSION_DAYS = 14;

/** Maximum number of a user's sessions; beyond it the least recently used ones end. */
const MAX_SESSIONS_PER_USER = 30;
/** Precision of `last_seen_at`, which is shown to users, and orders sessions when surplus ones end. */
const LAST_SEEN_PRECISION = '1 minute';

export type Session = { id: string; userId: number; authenticatedAt: Date };

/** `network`: the client's IP address without its last part. */
export type NewSession = { userId: number; tokenHash: Buffer; device: string; network: string };

/** A session with the fields that its user sees. */
export type OwnSession = {
  id: string;
  device: string;
  network: string;
  createdAt: string;
  authenticatedAt: string;
  lastSeenAt: string;
  expiresAt: string;
};

type Row = {
  id: string;
  token_hash: Buffer;
  user_id: number;
  device: string;
  network: string;
  created_at: string;
  authenticated_at: string;
  last_seen_at: string | null;
  expires_at: string;
};

const LAST_SEEN = 'coalesce(last_seen_at, authenticated_at)';

export function sessionStore(db: Knex) {
  const table = () => db<Row>('sessions');
  const stale = `last_seen_at is null or last_seen_at < now() - interval '${LAST_SEEN_PRECISION}'`;

  async function deleteSurplus(userId: number): Promise<void> {
    // Locks the user, so only one session of a user begins at a time.
    await db('users').where({ id: userId }).forNoKeyUpdate().first('id');
    const surplus = table()
      .where({ user_id: userId })
      .orderByRaw(`${LAST_SEEN} desc`)
      .offset(MAX_SESSIONS_PER_USER - 1);
    // tooth: session-bound
    await table().whereIn('id', surplus.select('id')).delete();
  }

  return {
    /**
     * Begins a session, and deletes all users' expired sessions. Call in a transaction.
     * @param former hash of the browser's old token. A session of the same user continues with the new token; a session of another user ends
     */
    async begin({ userId, tokenHash, device, network }: NewSession, former?: Buffer): Promise<void> {
      await table().where('expires_at', '<', db.raw('now()')).delete();
      const newSession = {
        token_hash: tokenHash,
        device,
        network,
        expires_at: db.raw(`now() + interval '${SESSION_DAYS} days'`),
      };
      if (former) {
        const continuedSession = { ...newSession, authenticated_at: db.raw('now()'), last_seen_at: db.raw('now()') };
        const continuedCount = await table().where({ token_hash: former, user_id: userId }).update(continuedSession);
        if (continuedCount > 0) return;
        await table().where({ token_hash: former }).delete();
      }
      await deleteSurplus(userId);
      await table().insert({ id: randomUUID(), user_id: userId, ...newSession });
    },

    /** Finds a session that has not ended, of an active user, and updates when it was last seen. */
    async find(tokenHash: Buffer): Promise<Session | undefined> {
      // tooth: session-expiry
      // tooth: session-of-active-user
      const row = await table()
        .whereIn('user_id', db('users').where({ is_active: true }).select('id'))
        .where({ token_hash: tokenHash })
        .where('expires_at', '>', db.raw('now()'))
        .first<Row & { stale: boolean }>('id', 'user_id', 'authenticated_at', db.raw(`(${stale}) as stale`));
      if (!row) return undefined;
      // Of several concurrent requests only the first writes.
      if (row.stale)
        await table()
          .where({ id: row.id })
          .whereRaw(`(${stale})`)
          .update({ last_seen_at: db.raw('now()') });
      return { id: row.id, userId: row.user_id, authenticatedAt: new Date(row.authenticated_at) };
    },

    /** Lists a user's sessions, the last seen first. */
    async list(userId: number): Promise<OwnSession[]> {
      const rows = await table()
        .where({ user_id: userId })
        .where('expires_at', '>', db.raw('now()'))
        .orderByRaw(`${LAST_SEEN} desc, id`);
      return rows.map((row) => ({
        id: row.id,
        device: row.device,
        network: row.network,
        createdAt: row.created_at,
        authenticatedAt: row.authenticated_at,
        lastSeenAt: row.last_seen_at ?? row.authenticated_at,
        expiresAt: row.expires_at,
      }));
    },

    async end(tokenHash: Buffer): Promise<void> {
      await table().where({ token_hash: tokenHash }).delete();
    },

    /** Ends a session. @returns its device; undefined if the user has no such session */
    async endOne(userId: number, id: string): Promise<string | undefined> {
      const [row] = await table().where({ user_id: userId, id }).delete().returning('device');
      return row?.device;
    },

    /** Ends all sessions of a user but one, for example after a new password. @returns how many ended */
    async endOthers(userId: number, except: string | null): Promise<number> {
      const ended = table().where({ user_id: userId });
      if (except !== null) ended.whereNot({ id: except });
      return ended.delete();
    },
  };
}

export type SessionStore = ReturnType<typeof sessionStore>;
