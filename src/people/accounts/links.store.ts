/** Rows of links that work once, whose token gives access to the user's account. Only hashes of tokens are stored. */
import { createHash, randomBytes } from 'node:crypto';
import type { Knex } from '../../platform/db/connection.ts';

/** Purpose of a link: `sign-in` begins a session, `reset` sets a new password. */
export type LinkPurpose = 'sign-in' | 'reset';

export const LINK_MINUTES: Readonly<Record<LinkPurpose, number>> = { 'sign-in': 10, reset: 60 };

/** Maximum number of a user's links per purpose; beyond it the oldest are deleted. */
const MAX_LINKS_PER_USER = 5;

type Row = { token_hash: Buffer; purpose: LinkPurpose; user_id: number; created_at: string; expires_at: string };

export function linkStore(db: Knex) {
  const table = () => db<Row>('one_time_links');
  /** Query for the link with this token, if it can still be used. */
  const usableLink = (purpose: LinkPurpose, token: string) =>
    // tooth: link-purpose
    // tooth: link-expiry
    // tooth: link-of-active-user
    table()
      .where({ token_hash: hashOf(token) })
      .where({ purpose })
      .where('expires_at', '>', db.raw('now()'))
      .whereIn('user_id', db('users').where({ is_active: true }).select('id'));

  return {
    /** Creates a link, and deletes all users' expired links. @returns the token */
    async create(purpose: LinkPurpose, userId: number): Promise<string> {
      await table().where('expires_at', '<=', db.raw('now()')).delete();
      const newestLinks = table().where({ purpose, user_id: userId }).orderBy('created_at', 'desc');
      const surplus = newestLinks.offset(MAX_LINKS_PER_USER - 1).select('token_hash');
      await table().whereIn('token_hash', surplus).delete();
      const token = randomBytes(32).toString('base64url');
      await table().insert({
        token_hash: hashOf(token),
        purpose,
        user_id: userId,
        expires_at: db.raw(`now() + interval '${LINK_MINUTES[purpose]} minutes'`),
      });
      return token;
    },

    /** @returns the id of the link's user */
    async find(purpose: LinkPurpose, token: string): Promise<number | undefined> {
      return (await usableLink(purpose, token).first('user_id'))?.user_id;
    },

    /** Same as `find`, but uses the link up: of several concurrent callers only one gets it. */
    async take(purpose: LinkPurpose, token: string): Promise<number | undefined> {
      const [row] = await usableLink(purpose, token).delete().returning('user_id');
      return row?.user_id;
    },
  };
}

function hashOf(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
