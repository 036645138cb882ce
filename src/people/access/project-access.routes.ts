/** Routes of the access rules about a project itself, and about all objects of a kind in it. */
import { InvalidInput } from '../../platform/errors.ts';
import type { FindProtected, Rights } from '../../platform/http/access.ts';
import { json, noBody, route } from '../../platform/http/route.ts';
import type { AccessControlsApi } from './access-controls.routes.ts';
import {
  AccessControlBody,
  AccessControlPutBody,
  AccessControlsBody,
  presentAccessControl,
  presentAccessControls,
  ResourceAccessControlPutBody,
} from './access-controls.schema.ts';
import { KINDS, levelsOf, PROJECT_ACCESS_LEVELS } from './access-levels.ts';

/** Only project admins change these rules; the gatekeeper refuses others before the body is read. */
export const PROTECTED_PROJECT_RULES: Readonly<Record<string, FindProtected>> = {
  project_rules: adminsOnly('Must be admin to modify project permissions.'),
  resource_rules: adminsOnly('Must be an Organization admin to modify project-wide permissions.'),
};

function adminsOnly(refusal: string): FindProtected {
  return async (projectId) => ({
    id: projectId,
    createdBy: null,
    refusal: (_caller, { isProjectAdmin }: Rights) => (isProjectAdmin ? undefined : refusal),
  });
}

const listProjectRules = route({
  method: 'get',
  path: '/access_controls/',
  access: { scope: 'access_control:read' },
  answers: { 200: AccessControlsBody },
  summary: 'List the access rules of a project',
  async handle({ project, caller, rights }, { accessControls }: AccessControlsApi) {
    const rules = await accessControls.listOfObject(project.id, {
      resource: 'project',
      resourceId: String(project.id),
    });
    const level = await accessControls.projectLevelOf(caller, project.id);
    return json(200, presentAccessControls(rules, PROJECT_ACCESS_LEVELS, { level, decides: rights.isProjectAdmin }));
  },
});

const putProjectRule = route({
  method: 'put',
  path: '/access_controls/',
  access: { scope: 'access_control:write', object: { resource: 'project_rules', param: 'project_id' } },
  body: AccessControlPutBody,
  strict: true,
  answers: { 200: AccessControlBody, 204: null },
  summary: 'Set whether a member, a role or everyone is a member or admin of a project',
  description:
    'Admins of the organization are always admins of its projects. Responds with 204 if the rule was removed.',
  async handle({ project, caller, body }, { accessControls }: AccessControlsApi) {
    const rule = await accessControls.put(
      project,
      caller,
      { resource: 'project', resourceId: String(project.id) },
      { level: body.access_level, organizationMember: body.organization_member ?? null, role: body.role ?? null },
      { levels: PROJECT_ACCESS_LEVELS, loggedObject: { scope: 'Project', itemId: project.id, name: project.name } },
    );
    return rule ? json(200, presentAccessControl(rule)) : noBody(204);
  },
});

/** Routes under the current and the older path. */
const resourceRules = (['/resource_access_controls/', '/global_access_controls/'] as const).flatMap((path) => [
  route({
    method: 'get',
    path,
    access: { scope: 'access_control:read' },
    answers: { 200: AccessControlsBody },
    summary: 'List the access rules for all objects of a kind',
    async handle({ project, caller, rights }, { accessControls }: AccessControlsApi) {
      const rules = await accessControls.listOfKinds(project.id);
      const level = await accessControls.projectLevelOf(caller, project.id);
      return json(200, presentAccessControls(rules, levelsOf('dashboard'), { level, decides: rights.isProjectAdmin }));
    },
  }),
  route({
    method: 'put',
    path,
    access: { scope: 'access_control:write', object: { resource: 'resource_rules', param: 'project_id' } },
    body: ResourceAccessControlPutBody,
    strict: true,
    answers: { 200: AccessControlBody, 204: null },
    summary: 'Set the access level of a member, a role or everyone for all objects of a kind',
    description: `Rules for a member or a role on a single object take precedence. Kinds: ${KINDS.join(', ')}.`,
    async handle({ project, caller, body }, { accessControls }: AccessControlsApi) {
      if (!KINDS.includes(body.resource)) {
        throw new InvalidInput(`Invalid resource. Must be one of: ${KINDS.join(', ')}`, 'resource');
      }
      const rule = await accessControls.put(
        project,
        caller,
        { resource: body.resource, resourceId: null },
        { level: body.access_level, organizationMember: body.organization_member ?? null, role: body.role ?? null },
        { loggedObject: { scope: 'Project', itemId: project.id, name: project.name } },
      );
      return rule ? json(200, presentAccessControl(rule)) : noBody(204);
    },
  }),
]);

export const projectAccessRoutes = [listProjectRules, putProjectRule, ...resourceRules];
