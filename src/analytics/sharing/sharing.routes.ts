/** Sharing of dashboards and insights: `/dashboards/:dashboard_id/sharing/` and `/insights/:insight_id/sharing/`. */
import type { Caller, Project, Rights } from '../../platform/http/access.ts';
import { orEnvelope } from '../../platform/http/error-body.ts';
import { json, noBody, route, type Route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { DashboardStores } from '../dashboards/stores.ts';
import { NotFound } from '../../platform/errors.ts';
import type { SharedObject, SharingConfiguration } from './configurations.store.ts';
import { presentMadePassword, presentSharing } from './present.ts';
import { ChangedSharingBody, MadePasswordBody, NewPasswordBody, SharingBody } from './schema.ts';
import { NotProtected, type Sharing } from './sharing.ts';

export type SharingApi = { sharing: Sharing; dashboardStores: DashboardStores };

/** Upstream's form of errors about passwords. */
const OnlyError = Type.Object({ error: Type.String() }, { title: 'SharingError' });

/** Finds the object in the path, which the gatekeeper has checked already. */
type FindObject = (stores: DashboardStores, projectId: number, id: string) => Promise<SharedObject>;
type Kind = { kind: SharedObject['kind']; notFoundDetail: string; deniedDetail: string; find: FindObject };

const DASHBOARD: Kind = {
  kind: 'dashboard',
  notFoundDetail: 'Dashboard not found.',
  deniedDetail: "You don't have edit permissions for this dashboard.",
  find: async (_stores, _projectId, id) => ({ kind: 'dashboard', id: Number(id) }),
};

const INSIGHT: Kind = {
  kind: 'insight',
  notFoundDetail: 'Insight not found.',
  deniedDetail: "You don't have edit permissions for this insight.",
  async find(stores, projectId, id) {
    const found = await stores.insights.find(projectId, id);
    if (!found || found.deleted) throw new NotFound(INSIGHT.notFoundDetail);
    return { kind: 'insight', id: found.id };
  },
};

export const sharingRoutes: Route<SharingApi>[] = [DASHBOARD, INSIGHT].flatMap(routesOf);

function routesOf({ kind, notFoundDetail, deniedDetail, find }: Kind): Route<SharingApi>[] {
  const param = `${kind}_id`;
  const path = `/${kind}s/:${param}/sharing` as const;
  const params = Type.Object({ [param]: Type.String({ maxLength: 20 }) });
  const object = { resource: kind, param, notFoundDetail, deniedDetail };
  const reading = { scope: 'sharing_configuration:read', object } as const;
  const writing = { scope: 'sharing_configuration:write', object } as const;

  type SharingRequest = { project: Project; rights: Rights; caller: Caller; params: object };

  async function loadTarget({ project, caller, rights, params: pathParams }: SharingRequest, stores: DashboardStores) {
    const id = String((pathParams as Record<string, unknown>)[param]);
    return { project, author: caller, rights, object: await find(stores, project.id, id) };
  }

  async function sharingAnswer(configuration: SharingConfiguration, { rights }: SharingRequest, api: SharingApi) {
    const passwords = await api.sharing.listPasswords(configuration);
    const users = await api.dashboardStores.users.findByIds(passwords.map(({ createdBy }) => createdBy));
    return json(200, presentSharing(configuration, { rights, users, passwords }));
  }

  return [
    route({
      method: 'get',
      path: `${path}/`,
      access: reading,
      params,
      answers: { 200: SharingBody },
      summary: `Retrieve the sharing settings of the ${kind}`,
      description:
        'The token is created by the first request and does not change, so the link is known before sharing is enabled.',
      async handle(request, api: SharingApi) {
        return sharingAnswer(await api.sharing.get(await loadTarget(request, api.dashboardStores)), request, api);
      },
    }),
    route({
      method: 'patch',
      path: `${path}/`,
      access: writing,
      params,
      body: ChangedSharingBody,
      strict: true,
      answers: { 200: SharingBody },
      summary: `Enable or disable sharing of the ${kind}`,
      description:
        'Disabling permanently revokes all links at once; enabling again creates a new link. A link that expired works again once a ' +
        'later `expires_at` is set.',
      async handle(request, api: SharingApi) {
        const change = await loadTarget(request, api.dashboardStores);
        return sharingAnswer(await api.sharing.change(change, request.body), request, api);
      },
    }),
    route({
      method: 'post',
      path: `${path}/refresh/`,
      access: writing,
      params,
      body: Type.Object({}),
      strict: true,
      answers: { 200: SharingBody },
      summary: `Replace the public link of the ${kind}`,
      description: 'The old link remains valid for five minutes.',
      async handle(request, api: SharingApi) {
        return sharingAnswer(await api.sharing.refresh(await loadTarget(request, api.dashboardStores)), request, api);
      },
    }),
    route({
      method: 'post',
      path: `${path}/passwords/`,
      access: writing,
      params,
      body: NewPasswordBody,
      strict: true,
      answers: { 201: MadePasswordBody, 400: orEnvelope(OnlyError) },
      summary: `Create a password for the shared ${kind}`,
      async handle(request, api: SharingApi) {
        const change = await loadTarget(request, api.dashboardStores);
        try {
          const { made, password } = await api.sharing.addPassword(change, request.body);
          const users = await api.dashboardStores.users.findByIds([made.createdBy]);
          return json(201, presentMadePassword(made, password, users));
        } catch (error) {
          if (error instanceof NotProtected) return json(400, { error: error.message });
          throw error;
        }
      },
    }),
    route({
      method: 'delete',
      path: `${path}/passwords/:password_id/`,
      access: writing,
      params: Type.Object({ ...params.properties, password_id: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }) }),
      answers: { 204: null, 404: orEnvelope(OnlyError) },
      summary: `Delete a password of the shared ${kind}`,
      description: 'Visitors who used the password lose access.',
      async handle(request, api: SharingApi) {
        const change = await loadTarget(request, api.dashboardStores);
        const isRemoved = await api.sharing.removePassword(change, request.params['password_id']);
        return isRemoved ? noBody(204) : json(404, { error: 'Password not found' });
      },
    }),
  ];
}
