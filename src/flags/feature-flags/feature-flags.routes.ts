/** `/feature_flags/`: create, list, retrieve and change flags. Deletion and restoration are changes, too. */
import { InvalidInput } from '../../platform/errors.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../platform/http/parameters/pagination.ts';
import { entityTag, expectedVersion, locationHeader } from '../../platform/http/parameters/preconditions.ts';
import { json, route, type Answer } from '../../platform/http/route.ts';
import { stringEnum, Type } from '../../platform/schema.ts';
import { ignoredFields } from './checks/ignored-fields.ts';
import { parseFlagChanges, parseNewFlag } from './fields.ts';
import { RUNTIMES, type FeatureFlag } from './feature-flags.store.ts';
import type { FlagManagement, Viewer } from './flag-management.ts';
import { ORDERS, type FlagQuery } from './list.store.ts';
import { FlagBody, FlagParams, FlagPatchBody, FlagPutBody, NewFlagBody, FLAG_IN_PATH } from './schema.ts';

export type FlagManagementApi = { featureFlags: FlagManagement };

const KINDS = ['boolean', 'multivariant', 'experiment', 'remote_config'] as const;

const ListQuery = Type.Object({
  ...offsetQuery().properties,
  search: Type.Optional(
    Type.String({ maxLength: 400, description: 'Returns only flags whose key or name contains this text.' }),
  ),
  active: Type.Optional(
    stringEnum(['true', 'false', 'STALE'] as const, {
      description:
        'Returns only flags with this status; `STALE` flags have the same value for everyone and were created more than 30 days ago.',
    }),
  ),
  type: Type.Optional(stringEnum(KINDS)),
  tags: Type.Optional(
    Type.String({ maxLength: 4000, description: 'A JSON list of tags: returns only flags with at least one of them.' }),
  ),
  evaluation_runtime: Type.Optional(stringEnum(RUNTIMES)),
  created_by_id: Type.Optional(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 })),
  order: stringEnum(
    ORDERS.flatMap((column) => [column, `-${column}` as const]),
    { default: '-created_at', description: 'The field to sort by; prefix `-` for descending order.' },
  ),
});

const listFlags = route({
  method: 'get',
  path: '/feature_flags/',
  access: { scope: 'feature_flag:read', filtered: true },
  query: ListQuery,
  answers: { 200: offsetPageOf(FlagBody) },
  summary: 'List feature flags, newest first',
  description: 'Excludes deleted flags and flags created for surveys.',
  async handle({ project, caller, rights, query, url }, { featureFlags }: FlagManagementApi) {
    const wanted: FlagQuery = {
      visible: rights.visible('feature_flag'),
      search: query.search,
      active: query.active === undefined || query.active === 'STALE' ? undefined : query.active === 'true',
      stale: query.active === 'STALE',
      kind: query.type,
      tags: query.tags === undefined ? undefined : tagsOf(query.tags),
      evaluationRuntime: query.evaluation_runtime,
      createdBy: query.created_by_id,
      order: orderOf(query.order),
      ...pageBounds(query),
    };
    const page = await featureFlags.list(project.id, wanted);
    const results = await featureFlags.show({ caller, rights }, project.id, page.results);
    return json(200, offsetPage(url, query, { count: page.count, results }));
  },
});

const createFlag = route({
  method: 'post',
  path: '/feature_flags/',
  access: { scope: 'feature_flag:write' },
  body: NewFlagBody,
  answers: { 201: FlagBody },
  summary: 'Create a feature flag',
  description:
    'A flag without `filters` applies to everyone. The key may be that of a deleted flag, which is ' +
    'replaced. Unknown fields of `filters` are ignored and listed in `ignored_members`.',
  async handle({ project, caller, rights, body, url }, { featureFlags }: FlagManagementApi) {
    const ignored = ignoredFields(body.filters);
    const flag = await featureFlags.create(project, { ...caller, rights }, parseNewFlag(body));
    return representation(201, { caller, rights }, flag, featureFlags, ignored, locationHeader(url, flag.id));
  },
});

const getFlag = route({
  method: 'get',
  path: '/feature_flags/:id/',
  access: { scope: 'feature_flag:read', object: FLAG_IN_PATH },
  params: FlagParams,
  answers: { 200: FlagBody },
  summary: 'Retrieve a feature flag',
  description: 'Deleted flags can be retrieved, too.',
  async handle({ project, caller, rights, params }, { featureFlags }: FlagManagementApi) {
    return representation(200, { caller, rights }, await featureFlags.get(project.id, params.id), featureFlags, {});
  },
});

const patchFlag = route({
  method: 'patch',
  path: '/feature_flags/:id/',
  errors: [409, 412],
  access: { scope: 'feature_flag:write', object: FLAG_IN_PATH },
  params: FlagParams,
  body: FlagPatchBody,
  answers: { 200: FlagBody },
  summary: 'Update, delete or restore a feature flag',
  description:
    'A stale `If-Match` header is refused with 412. With an older `version` and its `original_flag`, ' +
    'conflicting changes made since then are refused with 409. Unknown fields of `filters` are ignored and ' +
    'listed in `ignored_members`. Decisions reflect the change within 100 ms.',
  async handle({ project, caller, rights, params, body, headers }, { featureFlags }: FlagManagementApi) {
    const changes = parseFlagChanges(body);
    const ignored = ignoredFields(body.filters);
    const flag = await featureFlags.change(
      project,
      { ...caller, rights },
      params.id,
      changes,
      expectedVersion(headers),
    );
    return representation(200, { caller, rights }, flag, featureFlags, ignored);
  },
});

const putFlag = route({
  method: 'put',
  path: '/feature_flags/:id/',
  errors: [409, 412],
  access: { scope: 'feature_flag:write', object: FLAG_IN_PATH },
  params: FlagParams,
  body: FlagPutBody,
  answers: { 200: FlagBody },
  summary: 'Update a feature flag, with its key required',
  description: 'Otherwise the same as PATCH: omitted fields keep their values.',
  handle: patchFlag.handle,
});

async function representation(
  status: number,
  viewer: Viewer,
  flag: FeatureFlag,
  featureFlags: FlagManagement,
  ignored: ReturnType<typeof ignoredFields>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const [body] = await featureFlags.show(viewer, flag.projectId, [flag]);
  return json(status, { ...body, ...ignored }, { ETag: entityTag(flag.version), ...headers });
}

function orderOf(text: string): FlagQuery['order'] {
  const column = text.replace('-', '') as (typeof ORDERS)[number];
  return { column, descending: text.startsWith('-') };
}

function tagsOf(text: string): string[] {
  try {
    const tags = JSON.parse(text) as unknown;
    if (Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && !tag.includes('\0'))) return tags;
  } catch {
    // Reported by the error below.
  }
  throw new InvalidInput('This is not a JSON list of texts without null characters.', 'tags');
}

export const featureFlagRoutes = [listFlags, createFlag, getFlag, putFlag, patchFlag];
