/** An organization with a person of each role, a person of another organization, and their requests. */
import type { Letter, Mailer } from '../../../src/platform/notify/mail.ts';
import { buildTenant, type Tenant } from './identity.ts';
import { buildPerson, startPeopleApi, type PeopleWorld, type Person } from './people-api.ts';

export type Body = Record<string, unknown> & { results: Record<string, unknown>[] };
export type PersonName = 'stranger' | 'member' | 'admin' | 'owner';

export type OrganizationWorld = PeopleWorld & {
  ours: Tenant;
  people: Record<PersonName, Person>;
  /** The letters that were sent, in order. */
  letters: [to: readonly string[], letter: Letter][];
  /** @returns a path of our organization */
  at(path: string): string;
  ask(who: PersonName | Person, method: string, path: string, body?: unknown): Promise<{ status: number; body: Body }>;
  /** Builds another person in our organization. */
  build(role?: 'member' | 'admin' | 'owner'): Promise<Person>;
};

/** @param options `mailer`: replaces the mailer that records letters; null: no mailer */
export async function startOrganization(options: { mailer?: Mailer | null } = {}): Promise<OrganizationWorld> {
  const letters: OrganizationWorld['letters'] = [];
  const recordingMailer: Mailer = {
    send: async (to: readonly string[], letter: Letter) => void letters.push([to, letter]),
    close: () => {},
  };
  const world = await startPeopleApi(options.mailer === null ? {} : { mailer: options.mailer ?? recordingMailer });
  const ours = await buildTenant(world.db, { name: 'Ours' });
  const theirs = await buildTenant(world.db, { name: 'Theirs' });
  const people = {
    stranger: await buildPerson(world, theirs.organizationId, 'owner'),
    member: await buildPerson(world, ours.organizationId, 'member'),
    admin: await buildPerson(world, ours.organizationId, 'admin'),
    owner: await buildPerson(world, ours.organizationId, 'owner'),
  };
  return {
    ...world,
    ours,
    people,
    letters,
    at: (path) => `/api/organizations/${ours.organizationId}${path}`,

    async ask(who, method, path, body) {
      const { headers } = typeof who === 'string' ? people[who] : who;
      const answer = await world.api.request(method, path, { headers, ...(body !== undefined && { body }) });
      return { status: answer.status, body: answer.body as Body };
    },

    build: (role) => buildPerson(world, ours.organizationId, role),
  };
}
