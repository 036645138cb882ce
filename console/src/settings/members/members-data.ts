/** Requests about the people of an organization. */
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { api, unwrap, type AnswerOf } from '../../api/client.ts';

export type Member = AnswerOf<'OrganizationMember'>;
export type Invite = AnswerOf<'OrganizationInvite'>;
export type Organization = AnswerOf<'Organization'>;
export type Level = Member['level'];

export const PAGE_SIZE = 100;
export const LEVELS: readonly { level: Level; label: string; description: string }[] = [
  { level: 1, label: 'Member', description: 'Works in the projects' },
  { level: 8, label: 'Admin', description: 'Also manages members, project settings and secret keys' },
  { level: 15, label: 'Owner', description: 'Also changes and removes other owners' },
];

export const ADMIN: Level = 8;
export const labelOf = (level: Level): string => LEVELS.find((entry) => entry.level === level)!.label;
export const nameOf = ({ user }: Member): string => `${user.first_name} ${user.last_name}`.trim() || user.email;

/** Levels that a member may give: none above their own. */
export const levelsUpTo = (own: Level) =>
  LEVELS.filter(({ level }) => level <= own).map(({ level, ...words }) => ({ value: String(level), ...words }));

/** Prefix of all query keys about an organization's people. */
export const membersKey = (organizationId: string) => ['members', organizationId];

/** The organization with the user's own level. */
export function organizationQuery(organization_id: string) {
  return queryOptions({
    queryKey: [...membersKey(organization_id), 'organization'],
    queryFn: ({ signal }) =>
      unwrap(api.GET('/api/organizations/{organization_id}/', { params: { path: { organization_id } }, signal })),
  });
}

export function membersQuery(organization_id: string, page: number) {
  return queryOptions({
    queryKey: [...membersKey(organization_id), 'list', page],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/organizations/{organization_id}/members/', {
          params: { path: { organization_id }, query: { limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

/** The newest pending invites, at most `PAGE_SIZE`. */
export function invitesQuery(organization_id: string) {
  return queryOptions({
    queryKey: [...membersKey(organization_id), 'invites'],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/organizations/{organization_id}/invites/', {
          params: { path: { organization_id }, query: { limit: PAGE_SIZE } },
          signal,
        }),
      ),
  });
}

export function changeLevel(organization_id: string, { user }: Member, level: Level): Promise<Member> {
  return unwrap(
    api.PATCH('/api/organizations/{organization_id}/members/{user__uuid}/', {
      params: { path: { organization_id, user__uuid: user.uuid } },
      body: { level },
    }),
  );
}

export function removeMember(organization_id: string, { user }: Member): Promise<unknown> {
  return unwrap(
    api.DELETE('/api/organizations/{organization_id}/members/{user__uuid}/', {
      params: { path: { organization_id, user__uuid: user.uuid } },
    }),
  );
}

export type NewInvite = { target_email: string; first_name: string; message: string; level: Level };

export function invite(organization_id: string, body: NewInvite): Promise<Invite> {
  return unwrap(
    api.POST('/api/organizations/{organization_id}/invites/', { params: { path: { organization_id } }, body }),
  );
}

export function revoke(organization_id: string, { id }: Invite): Promise<unknown> {
  return unwrap(
    api.DELETE('/api/organizations/{organization_id}/invites/{id}/', { params: { path: { organization_id, id } } }),
  );
}
