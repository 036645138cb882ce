/** `/api/organizations/`: the organizations that the caller is in. */
import type { Caller } from '../../platform/http/access.ts';
import { PermissionDenied } from '../../platform/errors.ts';
import { json, route } from '../../platform/http/route.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageOfAll } from '../../platform/http/parameters/pagination.ts';
import { Type } from '../../platform/schema.ts';
import { OrganizationBody, organizationSettings, presentOrganization } from './organization-body.ts';
import { changeOrganization, createOrganization } from './organizations.ts';
import type { IdentityStores } from '../stores.ts';

export type OrganizationsApi = { identity: IdentityStores };

const name = Type.String({ minLength: 1, maxLength: 64 });

const listOrganizations = route({
  method: 'get',
  path: '/api/organizations/',
  access: { authenticated: true, needs: 'organization:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(OrganizationBody) },
  summary: 'List the organizations of the caller',
  async handle({ caller, query, url }, { identity }: OrganizationsApi) {
    const all = await identity.organizations.listByUser(userOfCaller(caller).userId, caller.onlyOrganizations);
    return json(200, offsetPage(url, query, pageOfAll(all.map(presentOrganization), query)));
  },
});

const createOrganizationRoute = route({
  method: 'post',
  path: '/api/organizations/',
  access: { authenticated: true, needs: 'organization:write', sessionOnly: true },
  body: Type.Object({ name }, { title: 'OrganizationCreate' }),
  answers: { 201: OrganizationBody },
  summary: 'Create an organization and become its owner',
  async handle({ caller, body }, { identity }: OrganizationsApi) {
    const organization = await createOrganization(identity, userOfCaller(caller), body.name);
    return json(201, presentOrganization(organization));
  },
});

const getOrganization = route({
  method: 'get',
  path: '/',
  access: { organization: 'organization:read' },
  answers: { 200: OrganizationBody },
  summary: 'Retrieve an organization',
  async handle({ organization }, { identity }: OrganizationsApi) {
    const stored = await identity.organizations.get(organization.id);
    return json(200, presentOrganization({ ...stored, role: organization.role }));
  },
});

const patchOrganization = route({
  method: 'patch',
  path: '/',
  access: { organization: 'organization:write', role: 'admin', sensitive: true },
  body: Type.Partial(Type.Object({ name, ...organizationSettings }), { title: 'OrganizationPatch' }),
  answers: { 200: OrganizationBody },
  summary: 'Update the name and settings of an organization',
  description: 'For admins of the organization.',
  async handle({ caller, organization, body }, { identity }: OrganizationsApi) {
    const changed = await changeOrganization(
      identity,
      { caller, organization },
      {
        name: body.name,
        membersCanInvite: body.members_can_invite,
        membersCanUsePersonalApiKeys: body.members_can_use_personal_api_keys,
        allowPubliclySharedResources: body.allow_publicly_shared_resources,
      },
    );
    return json(200, presentOrganization(changed));
  },
});

export const organizationRoutes = [listOrganizations, createOrganizationRoute, getOrganization, patchOrganization];

/** @throws PermissionDenied for keys of a project, which have no user */
export function userOfCaller({ userId, keyId }: Caller): { userId: number; keyId: string | null } {
  if (userId === null) throw new PermissionDenied('This action does not support project secret API key access.');
  return { userId, keyId };
}
