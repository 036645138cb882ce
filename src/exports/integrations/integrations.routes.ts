/** `/integrations/`: credentials that several batch exports share. */
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import { Type, type Static } from '../../platform/schema.ts';
import type { ExportsApi } from '../api.ts';
import type { Integration } from './integrations.store.ts';

const Config = Type.Record(Type.String(), Type.Unknown());
const IntegrationParams = Type.Object({ id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) });

const NewIntegrationBody = Type.Object(
  {
    kind: Type.String({
      description:
        'The kind of integration: `aws-s3`, `s3-compatible`, `azure-blob`, `google-cloud-storage`, `iceberg` or `postgresql`.',
    }),
    config: Config,
  },
  { title: 'NewIntegration' },
);
const IntegrationPatchBody = Type.Object({ config: Config }, { title: 'IntegrationPatch' });

const IntegrationBody = Type.Object(
  {
    id: Type.Integer(),
    kind: Type.String(),
    config: Type.Record(Type.String(), Type.Unknown(), { description: 'The configuration, without secrets.' }),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'Integration' },
);

function presentIntegration({ id, kind, config, createdAt }: Integration): Static<typeof IntegrationBody> {
  return { id, kind, config, created_at: createdAt };
}

const listIntegrations = route({
  method: 'get',
  path: '/integrations/',
  access: { scope: 'integration:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(IntegrationBody) },
  summary: 'List integrations',
  async handle({ project, query, url }, { integrations }: ExportsApi) {
    const page = await integrations.list(project.id, pageBounds(query));
    return json(200, offsetPage(url, query, { ...page, results: page.results.map(presentIntegration) }));
  },
});

const createIntegration = route({
  method: 'post',
  path: '/integrations/',
  access: { scope: 'integration:write' },
  body: NewIntegrationBody,
  answers: { 201: IntegrationBody },
  summary: 'Create an integration',
  description:
    'Batch exports refer to it as `destination.integration`; their `config` then omits the fields that the ' +
    'integration provides.',
  async handle({ project, caller, body }, { integrations }: ExportsApi) {
    return json(201, presentIntegration(await integrations.create(project.id, body.kind, body.config, caller)));
  },
});

const getIntegration = route({
  method: 'get',
  path: '/integrations/:id/',
  access: { scope: 'integration:read' },
  params: IntegrationParams,
  answers: { 200: IntegrationBody },
  summary: 'Retrieve an integration',
  async handle({ project, params }, { integrations }: ExportsApi) {
    return json(200, presentIntegration(await integrations.get(project.id, params.id)));
  },
});

const patchIntegration = route({
  method: 'patch',
  path: '/integrations/:id/',
  access: { scope: 'integration:write' },
  params: IntegrationParams,
  body: IntegrationPatchBody,
  answers: { 200: IntegrationBody },
  summary: 'Change the credentials of an integration',
  description: 'All batch exports that use the integration use the new credentials from their next connection onwards.',
  async handle({ project, caller, params, body }, { integrations }: ExportsApi) {
    return json(200, presentIntegration(await integrations.changeSecrets(project.id, params.id, body.config, caller)));
  },
});

const deleteIntegration = route({
  method: 'delete',
  path: '/integrations/:id/',
  errors: [409],
  access: { scope: 'integration:write' },
  params: IntegrationParams,
  answers: { 204: null },
  summary: 'Delete an integration that is not used by any batch export',
  async handle({ project, caller, params }, { integrations }: ExportsApi) {
    await integrations.delete(project.id, params.id, caller);
    return noBody(204);
  },
});

export const integrationRoutes = [
  listIntegrations,
  createIntegration,
  getIntegration,
  patchIntegration,
  deleteIntegration,
];
