/** The API of people and projects over a database of its own. */
import { scryptSync } from 'node:crypto';
import { createKnex, type Knex } from '../../../src/platform/db/connection.ts';
import { createPeopleRoom, peopleRoutes } from '../../../src/people/room.ts';
import type { IdentityStores } from '../../../src/people/stores.ts';
import type { Mailer } from '../../../src/platform/notify/mail.ts';
import type { OrganizationRole } from '../../../src/platform/http/access.ts';
import { PUBLIC_URL, startApi, type Api } from './api.ts';
import { createTestDatabase } from '../database/database.ts';
import { buildSession } from './identity.ts';

export type PeopleWorld = { api: Api; db: Knex; identity: IdentityStores; close(): Promise<void> };

export async function startPeopleApi({ mailer }: { mailer?: Mailer } = {}): Promise<PeopleWorld> {
  const database = await createTestDatabase();
  const db = createKnex({ url: database.url, applicationName: 'test' });
  const { collaborators, gatekeeper, identity } = createPeopleRoom({
    db,
    publicUrl: PUBLIC_URL,
    mailer,
    addressOf: ({ remoteAddress }) => remoteAddress,
    protectedObjects: {},
  });
  const api = await startApi({ routes: peopleRoutes, collaborators, gatekeeper });
  return {
    api,
    db,
    identity,
    async close() {
      await api.stop();
      await db.destroy();
      await database.drop();
    },
  };
}

export type Person = {
  id: number;
  uuid: string;
  email: string;
  membershipId: string;
  /** Headers of a session. */
  headers: Record<string, string>;
};

/** A hash in the format of `hashPassword`, with a minimal cost so that tests are fast. */
export function quickHash(password: string): string {
  const salt = Buffer.alloc(16, 1);
  const hash = scryptSync(password, salt, 32, { N: 2, r: 1, p: 1 });
  return `$scrypt$ln=1,r=1,p=1$${salt.toString('base64').replace(/=+$/, '')}$${hash.toString('base64').replace(/=+$/, '')}`;
}

let count = 0;

/** A person who is logged in, and in an organization. */
export async function buildPerson(
  { db, identity }: Pick<PeopleWorld, 'db' | 'identity'>,
  organizationId: string,
  role: OrganizationRole = 'member',
): Promise<Person> {
  count += 1;
  const account = { email: `${role}-${count}@example.com`, passwordHash: 'none', firstName: role };
  const { id, uuid, email } = await identity.accounts.create(account);
  await identity.members.add(organizationId, id, role);
  const { id: membershipId } = await identity.members.get(organizationId, uuid);
  return { id, uuid, email, membershipId, headers: await buildSession(db, { userId: id }) };
}
