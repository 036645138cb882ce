/** `/api/login` and `/api/logout`: sessions of browsers. */
import type { IncomingHttpHeaders } from 'node:http';
import { ensureLocal } from '../../platform/http/local-request.ts';
import { noBody, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { Login } from './login.ts';
import { recordOwnChange } from '../audit/own-audit-log.ts';
import type { Sessions } from './sessions.ts';
import type { IdentityStores } from '../stores.ts';

export type LoginApi = {
  identity: IdentityStores;
  sessions: Sessions;
  login: Login;
  /** Returns the address of the client, which only trusted proxies may report. */
  addressOf(request: { headers: IncomingHttpHeaders; remoteAddress: string }): string;
};

const Succeeded = Type.Object({ success: Type.Literal(true) });

const logIn = route({
  method: 'post',
  path: '/api/login/',
  access: { public: true, ownPages: true },
  body: Type.Object(
    {
      email: Type.String({ minLength: 1, maxLength: 254 }),
      password: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }),
    },
    { title: 'Login' },
  ),
  answers: { 200: Succeeded },
  errors: [429],
  summary: 'Log in with a password',
  description:
    'Sets the cookies `sessionid` and `posthog_csrftoken`, valid for 14 days. Requests that make changes must ' +
    'send the latter in the `X-CSRFToken` header.',
  async handle({ body, headers, remoteAddress }, { login, addressOf }: LoginApi) {
    const cookies = await login.logIn({ ...body, address: addressOf({ headers, remoteAddress }), headers });
    return { status: 200, cookies, body: { success: true } };
  },
});

const logInByLink = route({
  method: 'post',
  path: '/api/login/link/',
  access: { public: true, ownPages: true },
  body: Type.Object(
    { token: Type.String({ minLength: 1, maxLength: 200, writeOnly: true }) },
    { title: 'LoginByLink' },
  ),
  answers: { 200: Succeeded },
  errors: [429],
  summary: 'Log in by a sign-in link',
  description:
    'Takes the token of a link that `sluice up` or `sluice login` printed (`#sign-in=…`), once, within ten minutes, and sets the ' +
    'cookies of `POST /api/login/`. It works on the machine of the server only: from a loopback address, with a loopback ' +
    '`Host`, and without a header that a proxy adds; all else gets 403 `local_only`.',
  async handle({ body, headers, remoteAddress }, { login, addressOf }: LoginApi) {
    ensureLocal(headers, remoteAddress);
    const client = { headers, address: addressOf({ headers, remoteAddress }) };
    return { status: 200, cookies: await login.logInByLink(body.token, client), body: { success: true } };
  },
});

const logOut = route({
  method: 'post',
  path: '/api/logout/',
  access: { authenticated: true, sessionOnly: true },
  answers: { 204: null },
  summary: 'Log out',
  async handle({ caller, headers }, { identity, sessions }: LoginApi) {
    const cookies = await identity.inTransaction(async (stores) => {
      // A session always has a user.
      const userId = caller.userId!;
      const { email } = await stores.accounts.get(userId);
      await recordOwnChange(stores, { userId, keyId: null }, { activity: 'logged_out', name: email });
      return sessions.end(stores.sessions, headers);
    });
    return { ...noBody(204), cookies };
  },
});

export const loginRoutes = [logIn, logInByLink, logOut];
