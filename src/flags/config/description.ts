/** Files that pages load first, as `/api/schema/` describes them. They are answered before the router. */
import type { DescribedRoute } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';

const access = { public: true } as const;
const params = Type.Object({ token: Type.String({ description: 'The public key of the project.' }) });

const RemoteConfiguration = Type.Object(
  {
    token: Type.String(),
    supportedCompression: Type.Array(Type.String()),
    hasFeatureFlags: Type.Boolean(),
    surveys: Type.Boolean(),
  },
  {
    title: 'RemoteConfiguration',
    description: 'And more, that is always the same: what the server does not offer is off.',
  },
);

const refusals = [404, 405, 500, 503];
const script = {
  method: 'get',
  access,
  refusals,
  answers: { 200: Type.String(), 304: null },
  produces: 'text/javascript',
} as const;

export const configurationRoutes: readonly DescribedRoute[] = [
  {
    method: 'get',
    path: '/array/:token/config',
    tag: 'configuration',
    access,
    params,
    refusals,
    answers: { 200: RemoteConfiguration, 304: null },
    summary: 'Tell SDKs the configuration of a project',
  },
  {
    ...script,
    path: '/array/:token/config.js',
    tag: 'configuration',
    params,
    summary: 'Tell pages the configuration of a project, as a script',
  },
  {
    ...script,
    path: '/array/:token/array.js',
    tag: 'configuration',
    params,
    summary: 'Load posthog-js with the configuration of a project',
  },
  {
    ...script,
    path: '/static/:script',
    tag: 'configuration',
    params: Type.Object({
      script: Type.String({ description: 'A script of posthog-js, such as `array.js`.', examples: ['array.js'] }),
    }),
    summary: 'Load posthog-js, or a part of it',
  },
];
