/** `/activity_log/`: who changed what in a project. */
import { InvalidInput } from '../errors.ts';
import { boundedLimit, offsetPage, offsetPageOf, offsetQuery } from '../http/pagination.ts';
import { json, route } from '../http/route.ts';
import { Type } from '../schema.ts';
import { ActivityBody, presentActivity } from './activity.ts';
import type { ActivityStore } from './activity.store.ts';
import type { UserStore } from './users.store.ts';

export type ActivityApi = { activity: ActivityStore; users: UserStore };

const listActivity = route({
  method: 'get',
  path: '/activity_log/',
  access: { scope: 'activity_log:read' },
  query: Type.Object({
    ...offsetQuery().properties,
    scope: Type.Optional(Type.String({ description: 'Only of this kind of object: `FeatureFlag`, `Survey`, ...' })),
    item_id: Type.Optional(Type.String({ description: 'Only of this object of the kind.' })),
  }),
  answers: { 200: offsetPageOf(ActivityBody) },
  summary: 'List the changes of a project’s objects, the newest first',
  async handle({ project, query, url }, { activity, users }: ActivityApi) {
    const { scope, item_id: itemId, limit, offset } = query;
    if (itemId !== undefined && scope === undefined) {
      throw new InvalidInput('Objects of different kinds have the same ids: say which kind.', 'scope', 'required');
    }
    const page = await activity.list(project.id, { scope, itemId }, { limit: boundedLimit(limit), offset });
    const known = await users.byIds(page.results.map(({ userId }) => userId));
    const results = page.results.map((entry) => presentActivity(entry, known));
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

export const activityRoutes = [listActivity];
