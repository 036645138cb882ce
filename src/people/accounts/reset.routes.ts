/** `/api/reset/`: resets of forgotten passwords by mail. */
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { LoginApi } from './login.routes.ts';
import type { Resets } from './reset.ts';
import { maskEmail } from './users.ts';

export type ResetApi = Pick<LoginApi, 'addressOf'> & { resets: Resets };

const access = { public: true, ownPages: true } as const;
const linkRoute = {
  path: '/api/reset/:token/',
  access,
  params: Type.Object({ token: Type.String({ description: 'The token of the link that was mailed.' }) }),
} as const;

const getResets = route({
  method: 'get',
  path: '/api/reset/',
  operationId: 'reset_availability_retrieve',
  access: { public: true },
  answers: {
    200: Type.Object(
      {
        available: Type.Boolean({ description: 'Whether links are mailed: false if this installation sends no mail.' }),
      },
      { title: 'Resets' },
    ),
  },
  summary: 'Find out whether passwords can be reset by mail',
  async handle(_request, { resets }: ResetApi) {
    return json(200, { available: resets.isAvailable });
  },
});

const requestReset = route({
  method: 'post',
  path: '/api/reset/',
  access,
  body: Type.Object({ email: Type.String({ format: 'email', maxLength: 254 }) }, { title: 'ResetRequest' }),
  answers: { 204: null },
  errors: [429],
  summary: 'Mail a link that sets a new password',
  description:
    'The answer is the same whether there is such an account or not. If the installation sends no mail, it is 400 with the code ' +
    '`email_not_available`. The link works once, within an hour.',
  async handle({ body, headers, remoteAddress }, { resets, addressOf }: ResetApi) {
    await resets.request({ email: body.email, address: addressOf({ headers, remoteAddress }) });
    return noBody(204);
  },
});

const getReset = route({
  ...linkRoute,
  method: 'get',
  answers: { 200: Type.Object({ email: Type.String() }, { title: 'Reset' }) },
  summary: 'Retrieve the masked email address of the account that a link is for',
  async handle({ params }, { resets }: ResetApi) {
    return json(200, { email: maskEmail((await resets.find(params.token)).email) });
  },
});

const completeReset = route({
  ...linkRoute,
  method: 'post',
  operationId: 'reset_complete_create',
  body: Type.Object({ password: Type.String({ maxLength: 200, writeOnly: true }) }, { title: 'ResetCompletion' }),
  answers: { 200: Type.Object({ success: Type.Literal(true), email: Type.String() }, { title: 'ResetCompleted' }) },
  summary: 'Set a new password by a mailed link',
  description: 'Uses the link up and ends all sessions of the user. It does not log in.',
  async handle({ params, body }, { resets }: ResetApi) {
    const { email } = await resets.complete(params.token, body.password);
    return json(200, { success: true, email });
  },
});

export const resetRoutes = [getResets, requestReset, getReset, completeReset];
