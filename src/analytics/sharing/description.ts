/** The pages behind shared links, as `/api/schema/` describes them. They are answered before the router. */
import type { DescribedRoute } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';

const access = { public: true } as const;
const params = Type.Object({
  token: Type.String({ description: 'The `access_token` of the shared dashboard or insight.' }),
});

const Shared = Type.Object(
  {
    type: stringEnum(['scene', 'embed', 'unlock'] as const, {
      description: 'The type of the shared object; `unlock` if a password is required first.',
    }),
    accessToken: Type.String(),
    themes: Type.Array(Type.Unknown()),
    dashboard: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    insight: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { title: 'SharedObject' },
);
const WrongPassword = Type.Object({ error: Type.String() }, { title: 'WrongPassword' });

export const sharedRoutes: readonly DescribedRoute[] = (['shared', 'embedded', 'shared_dashboard'] as const).flatMap(
  (door): DescribedRoute[] => [
    {
      method: 'get',
      path: `/${door}/:token`,
      operationId: `${door}_page_retrieve`,
      tag: 'shared',
      access,
      params,
      refusals: [429, 500, 503],
      answers: { 200: Type.String(), 404: Type.String() },
      produces: 'text/html',
      summary: 'View a shared dashboard or insight',
    },
    {
      method: 'get',
      path: `/${door}/:token.json`,
      operationId: `${door}_json_retrieve`,
      tag: 'shared',
      access,
      params,
      refusals: [404, 429, 500, 503],
      answers: { 200: Shared },
      summary: 'Retrieve a shared dashboard or insight as JSON',
    },
    ...(['', '.json'] as const).map((form): DescribedRoute => ({
      method: 'post',
      path: `/${door}/:token${form}`,
      operationId: `${door}${form.replace('.', '_')}_unlock_create`,
      tag: 'shared',
      access,
      params,
      body: Type.Object({ password: Type.String() }, { title: 'UnlockPassword' }),
      refusals: [400, 405, 413, 415, 429, 500, 503, ...(form === '' ? [] : [404])],
      answers: {
        200: Type.Object({ shareToken: Type.String() }),
        401: WrongPassword,
        ...(form === '' && { 404: Type.String() }),
      },
      produces: { 404: form === '' ? 'text/html' : 'application/json' },
      summary: `Unlock a shared dashboard or insight with a password${form === '' ? '' : ' and retrieve it as JSON'}`,
      description: 'A form is answered with a redirect to the page and a cookie that grants access to it.',
    })),
  ],
);
