/** Where the operations are done: an organization with a project, its owner, and what they work on. */
import assert from 'node:assert/strict';
import { randomBytes, randomUUID, scryptSync } from 'node:crypto';
import type { Knex } from '../../../src/platform/db/connection.ts';
import { buildPersonalKey, buildSession, buildTenant, promote, type Tenant } from '../../support/api/identity.ts';
import { buildMember, type Member } from '../../support/api/members.ts';
import { MAKE } from '../objects.ts';

export type Body = Record<string, unknown>;

/** In every secret of a request; it may come into no entry. */
export const CANARY = 'canary-of-a-secret';

/** Of the canary, and cheaper to compare than those that are made. */
export function cheapHash(): string {
  const [salt, text] = [randomBytes(16), (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')];
  return `$scrypt$ln=4,r=8,p=1$${text(salt)}$${text(scryptSync(CANARY, salt, 32, { N: 2 ** 4, r: 8, p: 1 }))}`;
}

/** One valid use of a route. */
export type Asked = {
  /** Of the path, beside the project and the organization. */
  params?: Readonly<Record<string, string>>;
  /** Of the address, from `?` on. */
  query?: string;
  body?: unknown;
  /** A body that is refused with 400 for what it says. */
  refused?: unknown;
  /** The user whom the entry names, where that is not the owner. */
  by?: (answer: Body) => number;
  /** Kind and verb of each entry, in the order of their writing. */
  tells: readonly string[];
};

/** Makes what a valid use of the route takes. */
export type Operation = (at: Workplace) => Promise<Asked> | Asked;

export type Workplace = {
  db: Knex;
  ours: Tenant;
  colleague: Member;
  key: string;
  /** Headers of the owner, who is logged in. */
  session(): Promise<Record<string, string>>;
  /** Makes an object straight in the database. @returns its id */
  put(kind: 'dashboard' | 'insight' | 'feature_flag'): Promise<string>;
  /** A request of the owner's, on the way to the operation. @param path from the project's on */
  send(method: string, path: string, body?: unknown): Promise<Body>;
  /** The same in the organization. */
  inOrganization(method: string, path: string, body?: unknown): Promise<Body>;
  /** Needs a session: a key may not invite. */
  invite(email: string): Promise<Body>;
  /** A person whom events told of. @returns their id */
  person(): Promise<string>;
};

export async function buildWorkplace(db: Knex, url: string): Promise<Workplace> {
  const ours = await buildTenant(db, { name: 'Ours' });
  await promote(db, ours, 'owner');
  const key = await buildPersonalKey(db, ours, '*');
  const colleague = await buildMember(db, ours);
  const group = { project_id: ours.projectId, group_type: 'company', group_type_index: 0 };
  await db('group_types').insert(group as never);

  const session = () => buildSession(db, ours);

  async function send(
    method: string,
    path: string,
    body?: unknown,
    credentials: Readonly<Record<string, string>> = { Authorization: `Bearer ${key}` },
  ): Promise<Body> {
    const answer = await fetch(`${url}/api${path}`, {
      method,
      headers: { ...credentials, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? {} : JSON.parse(text)) as Body;
  }

  return {
    db,
    ours,
    colleague,
    key,
    session,
    put: (kind) => MAKE[kind]!(db, ours.projectId),
    send: (method, path, body) => send(method, `/projects/${ours.projectId}${path}`, body),
    inOrganization: (method, path, body) => send(method, `/organizations/${ours.organizationId}${path}`, body),
    async invite(target_email) {
      return send('POST', `/organizations/${ours.organizationId}/invites/`, { target_email }, await session());
    },
    async person() {
      const id = randomUUID();
      const row = { project_id: ours.projectId, id, properties: {}, is_identified: true, created_at: new Date() };
      await db('persons').insert(row as never);
      return id;
    },
  };
}
