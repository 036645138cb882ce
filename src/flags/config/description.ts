/** Descriptions of the configuration files for `/api/schema/`. A raw handler answers them before the router. */
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
    description:
      'The configuration for SDKs. Further fields are constant and disable features that this server does not offer.',
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
    summary: 'Retrieve the configuration of a project for SDKs',
  },
  {
    ...script,
    path: '/array/:token/config.js',
    tag: 'configuration',
    params,
    summary: 'Retrieve the configuration of a project as a script for web pages',
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
      script: Type.String({
        description: 'The name of a posthog-js script, such as `array.js`.',
        examples: ['array.js'],
      }),
    }),
    summary: 'Load posthog-js or one of its modules',
  },
];
