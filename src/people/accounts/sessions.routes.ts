/** `/api/users/@me/sessions/`: the caller's own sessions. Keys never see or end a session. */
import { NotFound } from '../../platform/errors.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { nullable, Type, type Static } from '../../platform/schema.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { BoundIdentityStores, IdentityStores } from '../stores.ts';
import type { OwnSession } from './sessions.store.ts';

export type SessionsApi = { identity: IdentityStores };

const PATH = '/api/users/@me/sessions/';
/** Not `sensitive`, because ending an intruder's session must not be harder than logging in. */
const access = { authenticated: true, sessionOnly: true } as const;

const Instant = Type.String({ format: 'date-time' });
const SessionBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    is_current: Type.Boolean({ description: 'Whether this is the session of the request.' }),
    device: nullable(Type.String(), {
      description: 'The browser and the system, such as `Firefox on Linux`; null if the user agent names neither.',
    }),
    network: nullable(Type.String(), {
      description:
        'The network from which the user last logged in within this session: the first 24 bits of an IPv4 address or ' +
        'the first 48 of an IPv6 address; null if unknown.',
    }),
    created_at: Instant,
    authenticated_at: Type.String({ format: 'date-time', description: 'The time of the last login in this session.' }),
    last_seen_at: Type.String({ format: 'date-time', description: 'The time of the last request, to the minute.' }),
    expires_at: Instant,
  },
  { title: 'Session' },
);

function present(session: OwnSession, currentId: string): Static<typeof SessionBody> {
  return {
    id: session.id,
    is_current: session.id === currentId,
    device: session.device || null,
    network: session.network || null,
    created_at: session.createdAt,
    authenticated_at: session.authenticatedAt,
    last_seen_at: session.lastSeenAt,
    expires_at: session.expiresAt,
  };
}

const listSessions = route({
  method: 'get',
  path: PATH,
  access,
  answers: { 200: Type.Array(SessionBody) },
  summary: 'List your sessions, the last seen first',
  async handle({ caller }, { identity }: SessionsApi) {
    const sessions = await identity.sessions.list(caller.userId!);
    return json(
      200,
      sessions.map((session) => present(session, caller.session!.id)),
    );
  },
});

const endSession = route({
  method: 'delete',
  path: `${PATH}:id/`,
  access,
  params: Type.Object({ id: Type.String({ format: 'uuid' }) }),
  answers: { 204: null },
  summary: 'End one of your sessions, effective immediately',
  async handle({ caller, params }, { identity }: SessionsApi) {
    await identity.inTransaction(async (stores) => {
      const device = await stores.sessions.endOne(caller.userId!, params.id);
      if (device === undefined) throw new NotFound();
      await record(stores, caller.userId!, device);
    });
    return noBody(204);
  },
});

const endOtherSessions = route({
  method: 'post',
  path: `${PATH}end_others/`,
  access,
  answers: { 200: Type.Object({ ended: Type.Integer() }, { title: 'EndedSessions' }) },
  summary: 'End all of your sessions except that of the request',
  async handle({ caller }, { identity }: SessionsApi) {
    const endedCount = await identity.inTransaction(async (stores) => {
      const count = await stores.sessions.endOthers(caller.userId!, caller.session!.id);
      if (count > 0) await record(stores, caller.userId!, `${count} others`);
      return count;
    });
    return json(200, { ended: endedCount });
  },
});

export const sessionRoutes = [listSessions, endSession, endOtherSessions];

async function record(stores: BoundIdentityStores, userId: number, sessions: string): Promise<void> {
  const { email } = await stores.accounts.get(userId);
  const changes = [{ type: 'User', action: 'deleted', field: 'session', before: sessions, after: null } as const];
  await recordOwnChange(stores, { userId, keyId: null }, { activity: 'logged_out', name: email, changes });
}
