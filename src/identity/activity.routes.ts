/** `/activity_log/`: who changed what in a project, or in an organization as a whole. */
import { InvalidInput } from '../errors.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../http/pagination.ts';
import { json, route } from '../http/route.ts';
import { Type, type Static } from '../schema.ts';
import { ActivityBody, presentActivity } from './activity.ts';
import type { ActivityEntry, ActivityStore } from './activity.store.ts';
import { seenActivity } from './seen-activity.ts';
import type { UserStore } from './users.store.ts';

export type ActivityApi = { activity: ActivityStore; users: UserStore };

const query = Type.Object({
  ...offsetQuery().properties,
  scope: Type.Optional(Type.String({ description: 'Only of this kind of object: `FeatureFlag`, `Survey`, ...' })),
  item_id: Type.Optional(Type.String({ description: 'Only of this object of the kind.' })),
  user: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'Only what the user with this id did.' }),
  ),
});

const listActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { scope: 'activity_log:read' },
  query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of a project’s objects, the newest first',
  description: 'Without those of objects that are hidden from the caller.',
  async handle({ project, rights, query: asked, url }, { activity, users }: ActivityApi) {
    const wanted = { ...wantedOf(asked), seen: seenActivity(rights) };
    const page = await activity.list(project.id, wanted, placeOf(asked));
    return json(200, offsetPage(url, asked, await presented(page, users)));
  },
});

const listOrganizationActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { organization: 'activity_log:read', role: 'admin' },
  query,
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of an organization, its members, roles, invites and keys, the newest first',
  async handle({ organization, query: asked, url }, { activity, users }: ActivityApi) {
    const page = await activity.listOfOrganization(organization.id, wantedOf(asked), placeOf(asked));
    return json(200, offsetPage(url, asked, await presented(page, users)));
  },
});

export const activityRoutes = [listActivity, listOrganizationActivity];

type ActivityQuery = Static<typeof query>;

function wantedOf({ scope, item_id: itemId, user: userId }: ActivityQuery) {
  if (itemId !== undefined && scope === undefined) {
    throw new InvalidInput('Objects of different kinds have the same ids: say which kind.', 'scope', 'required');
  }
  return { scope, itemId, userId };
}

function placeOf({ limit, offset }: ActivityQuery) {
  return { limit: boundedLimit(limit), offset };
}

async function presented(page: { count: number; results: ActivityEntry[] }, users: UserStore) {
  const known = await users.byIds(page.results.map(({ userId }) => userId));
  return { count: page.count, results: page.results.map((entry) => presentActivity(entry, known)) };
}
