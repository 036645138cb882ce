/** `/dashboards/:dashboard_id/collaborators/`: who may change a restricted dashboard. */
import { json, noBody, route } from '../../../platform/http/route.ts';
import { presentUser, UserBody } from '../../../people/accounts/users.ts';
import { Type, type Static } from '../../../platform/schema.ts';
import { DashboardParams, RestrictionLevelChoice } from '../schema.ts';
import type { DashboardCollaborators } from './collaborators.ts';
import type { Collaborator } from './collaborators.store.ts';

export type CollaboratorsApi = { dashboardCollaborators: DashboardCollaborators };

const object = { resource: 'dashboard', param: 'dashboard_id', notFoundDetail: 'Dashboard not found.' } as const;
const Uuid = Type.String({ format: 'uuid' });

const Params = Type.Object({ dashboard_id: DashboardParams.properties.id });
const OneParams = Type.Object({ ...Params.properties, user__uuid: Uuid });

const NewCollaboratorBody = Type.Object(
  { user_uuid: Uuid, level: RestrictionLevelChoice },
  { title: 'NewCollaborator', description: 'The level to grant; only 37 (edit) is supported.' },
);

const CollaboratorBody = Type.Object(
  {
    id: Uuid,
    dashboard_id: Type.Integer(),
    user: UserBody,
    level: Type.Integer(),
    added_at: Type.String({ format: 'date-time' }),
    updated_at: Type.String({ format: 'date-time' }),
    user_uuid: Uuid,
  },
  { title: 'Collaborator' },
);

function present({ user, ...collaborator }: Collaborator): Static<typeof CollaboratorBody> {
  const { id, dashboard_id, level, added_at, updated_at } = collaborator;
  return { id, dashboard_id, user: presentUser(user), level, added_at, updated_at, user_uuid: user.uuid };
}

const listCollaborators = route({
  method: 'get',
  path: '/dashboards/:dashboard_id/collaborators/',
  access: { scope: 'dashboard:read', object },
  params: Params,
  answers: { 200: Type.Array(CollaboratorBody) },
  summary: 'List the collaborators of a dashboard, oldest first',
  async handle({ params }, { dashboardCollaborators }: CollaboratorsApi) {
    return json(200, (await dashboardCollaborators.list(params.dashboard_id)).map(present));
  },
});

const addCollaborator = route({
  method: 'post',
  path: '/dashboards/:dashboard_id/collaborators/',
  access: { scope: 'dashboard:write', object },
  params: Params,
  body: NewCollaboratorBody,
  answers: { 201: CollaboratorBody },
  summary: 'Grant a user edit access to a restricted dashboard',
  async handle({ project, caller, params, body }, { dashboardCollaborators }: CollaboratorsApi) {
    const newCollaborator = { userUuid: body.user_uuid, level: body.level };
    return json(
      201,
      present(await dashboardCollaborators.add({ project, caller }, params.dashboard_id, newCollaborator)),
    );
  },
});

const removeCollaborator = route({
  method: 'delete',
  path: '/dashboards/:dashboard_id/collaborators/:user__uuid/',
  access: { scope: 'dashboard:write', object },
  params: OneParams,
  answers: { 204: null },
  summary: 'Revoke a user’s edit access to a restricted dashboard',
  async handle({ project, caller, params }, { dashboardCollaborators }: CollaboratorsApi) {
    await dashboardCollaborators.remove({ project, caller }, params.dashboard_id, params.user__uuid);
    return noBody(204);
  },
});

export const collaboratorRoutes = [listCollaborators, addCollaborator, removeCollaborator];
