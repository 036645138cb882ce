/** Creates the routes `access_controls/` and `users_with_access/` for any kind of object. */
import { json, noBody, route, type Route } from '../../platform/http/route.ts';
import { Type } from '../../platform/schema.ts';
import type { AccessControls, RuledObject } from './access-controls.ts';
import {
  AccessControlBody,
  AccessControlPutBody,
  AccessControlsBody,
  presentAccessControl,
  presentAccessControls,
  presentUsersWithAccess,
  UsersWithAccessBody,
} from './access-controls.schema.ts';
import { levelsOf } from './access-levels.ts';
import { mayChangeAccess } from './rights.ts';

export type AccessControlsApi = { accessControls: AccessControls };

/**
 * Creates the routes of one kind of object, which must be among the gatekeeper's `protectedObjects`.
 * @param resource the kind as in scopes, such as `dashboard`
 * @param path of the kind's list, with slashes, such as `/dashboards/`
 * @param activity name of the kind in the audit log, such as `Dashboard`, and the `type` of its entries if upstream has one
 */
export function accessControlRoutes({
  resource,
  path,
  activity,
}: {
  resource: string;
  path: `/${string}/`;
  activity: Pick<RuledObject, 'scope' | 'type'>;
}): Route<AccessControlsApi>[] {
  const words = resource.replaceAll('_', ' ');
  const params = Type.Object({ id: Type.String() });

  const listRules = route({
    method: 'get',
    path: `${path}:id/access_controls/`,
    access: { scope: 'access_control:read', object: { resource, param: 'id' } },
    params,
    answers: { 200: AccessControlsBody },
    summary: `List the access rules of a ${words}`,
    async handle({ project, rights, params: { id } }, { accessControls }: AccessControlsApi) {
      const object = await accessControls.object(resource, project.id, id);
      const rules = await accessControls.listOfObject(project.id, { resource, resourceId: String(object.id) });
      const caller = { level: rights.levelOf(resource, object), decides: mayChangeAccess(rights, resource, object) };
      return json(200, presentAccessControls(rules, levelsOf(resource), caller));
    },
  });

  const putRule = route({
    method: 'put',
    path: `${path}:id/access_controls/`,
    access: { scope: 'access_control:write', object: { resource, param: 'id', level: 'manager' } },
    params,
    body: AccessControlPutBody,
    strict: true,
    answers: { 200: AccessControlBody, 204: null },
    summary: `Set the access level of a member, a role or everyone for a ${words}`,
    description:
      'For managers of the object: its creator, admins, and those who are granted this level by a rule. Responds ' +
      'with 204 if the rule was removed.',
    async handle({ project, caller, params: { id }, body }, { accessControls }: AccessControlsApi) {
      const object = await accessControls.object(resource, project.id, id);
      const rule = await accessControls.put(
        project,
        caller,
        { resource, resourceId: String(object.id) },
        { level: body.access_level, organizationMember: body.organization_member ?? null, role: body.role ?? null },
        { loggedObject: { ...activity, itemId: object.id, name: object.name ?? String(object.id) } },
      );
      return rule ? json(200, presentAccessControl(rule)) : noBody(204);
    },
  });

  const listUsers = route({
    method: 'get',
    path: `${path}:id/users_with_access/`,
    access: { scope: 'access_control:read', object: { resource, param: 'id' } },
    params,
    answers: { 200: UsersWithAccessBody },
    summary: `List the users with access to a ${words}, highest level first`,
    async handle({ project, params: { id } }, { accessControls }: AccessControlsApi) {
      const object = await accessControls.object(resource, project.id, id);
      return json(200, presentUsersWithAccess(await accessControls.usersWithAccess(project.id, resource, object)));
    },
  });

  return [listRules, putRule, listUsers];
}
