/** Routes of the definitions feed, at the paths that SDKs request. */
import type { IncomingHttpHeaders } from 'node:http';
import { NotAuthenticated, PermissionDenied, QuotaExceeded } from '../../platform/errors.ts';
import type { Caller, Gatekeeper, Rights } from '../../platform/http/access.ts';
import { matchesTag } from '../../platform/http/parameters/preconditions.ts';
import { json, noBody, route, type Answer } from '../../platform/http/route.ts';
import type { RateLimit } from '../../people/keys/rate-limits.ts';
import { Type } from '../../platform/schema.ts';
import type { FeatureFlagStore } from '../feature-flags/feature-flags.store.ts';
import type { Metering } from '../metering/metering.ts';
import { sdkName } from '../metering/sdk-name.ts';
import { feedOf } from './feed.ts';
import type { LiveDefinitions } from './live-definitions.ts';
import type { ProjectFlags } from './project-flags.ts';

/** Limit of feed requests per project: 600 a minute, which may come in one burst. Each SDK makes one every 30 seconds. */
export const FEED_LIMIT = { perSecond: 10, burstSeconds: 60 } as const;

export type FeedApi = {
  liveDefinitions: LiveDefinitions;
  metering: Metering;
  gatekeeper: Gatekeeper;
  feedLimit: RateLimit<number>;
  hiddenFlags: Pick<FeatureFlagStore, 'hiddenKeys'>;
};

const SCOPE = 'feature_flag:read';

const FeedBody = Type.Object(
  {
    flags: Type.Array(Type.Object({}), {
      description: 'All flags of the project, sorted by key, including inactive ones.',
    }),
    group_type_mapping: Type.Record(Type.String(), Type.String(), {
      description: 'The names of group types by index.',
    }),
    cohorts: Type.Record(Type.String(), Type.Object({}), {
      description: 'The conditions of the cohorts that the flags use, by cohort ID.',
    }),
    minimal_flag_called_events: Type.Boolean(),
    property_matching_version: Type.Integer({ minimum: 1, maximum: 2 }),
  },
  { title: 'FlagDefinitions' },
);

const Query = Type.Object({
  token: Type.Optional(
    Type.String({ description: 'The public key of the project; not required with a project secret key.' }),
  ),
  personal_api_key: Type.Optional(
    Type.String({ description: 'An alternative to the `Authorization` header, for older SDKs.' }),
  ),
});

const feedRoute = {
  method: 'get',
  answers: { 200: FeedBody, 304: null },
  summary: 'Retrieve flag definitions for local evaluation in SDKs',
  description:
    'Requires a key with the scope feature_flag:read as `Authorization: Bearer`. Excludes flags that belong to ' +
    'surveys or have encrypted payloads, and static cohorts; SDKs ask the server to evaluate these. Responds with ' +
    '402 if the quota of the project is exhausted.',
} as const;

/** Routes for server SDKs. The key is checked here, not by the router, because these requests do not count against its rate limit. */
const sdkRoutes = (['/flags/definitions/', '/api/feature_flag/local_evaluation/'] as const).map((path) =>
  route({
    ...feedRoute,
    path,
    access: { public: true },
    security: ['apiKey'],
    errors: [401, 402, 403, 404, 429],
    query: Query,
    async handle({ headers, query, url }, api: FeedApi) {
      const caller = await authenticateSdk(headers, url, api.gatekeeper);
      const project = await findFeedProject(caller, query.token, api);
      const { rights } = await api.gatekeeper.enter(caller, project.projectId, { scope: SCOPE });
      await ensureNoHiddenFlags(project, rights, api);
      return answerFeed(project, { caller, headers }, api);
    },
  }),
);

const projectRoute = route({
  ...feedRoute,
  path: '/feature_flags/local_evaluation/',
  errors: [402],
  access: { scope: SCOPE },
  async handle({ project, caller, rights, headers }, api: FeedApi) {
    const definitions = await api.liveDefinitions.findById(project.id);
    if (!definitions) throw new NotAuthenticated('There is no such project.', 'authentication_failed');
    await ensureNoHiddenFlags(definitions, rights, api);
    return answerFeed(definitions, { caller, headers }, api);
  },
});

export const feedRoutes = [...sdkRoutes, projectRoute];

/** Refuses callers from whom a flag is hidden, because the flag would be off for everybody whom their SDK serves. @throws PermissionDenied */
async function ensureNoHiddenFlags(
  { projectId }: ProjectFlags,
  rights: Rights,
  { hiddenFlags }: FeedApi,
): Promise<void> {
  if ((await hiddenFlags.hiddenKeys(projectId, rights.visible('feature_flag'))).length === 0) return;
  throw new PermissionDenied('Some feature flags are hidden from you: use a secret key of the project.');
}

function answerFeed(
  project: ProjectFlags,
  { caller, headers }: { caller: Caller; headers: IncomingHttpHeaders },
  { metering, feedLimit }: FeedApi,
): Answer {
  const { projectId } = project;
  feedLimit.charge(projectId, 1);
  if (metering.isOverQuota(projectId)) {
    throw new QuotaExceeded('The project has used up this month’s feature flag requests.');
  }
  const sdk = sdkName(headers['user-agent'], undefined);
  metering.count({ projectId, kind: 'definitions', keyId: caller.keyId, sdk, requests: 1 });
  const { body, entityTag } = feedOf(project);
  const caching = { ETag: entityTag, 'Cache-Control': 'private, must-revalidate' };
  return matchesTag(headers, entityTag) ? noBody(304, caching) : json(200, body, caching);
}

function authenticateSdk({ authorization }: IncomingHttpHeaders, url: URL, gatekeeper: Gatekeeper): Promise<Caller> {
  const headersDistinct = authorization === undefined ? {} : { authorization: [authorization] };
  return gatekeeper.authenticate({ headers: {}, headersDistinct, url: url.href });
}

/** Finds the project of the token, or without a token, the only project that the key can access. */
async function findFeedProject(
  caller: Caller,
  token: string | undefined,
  { liveDefinitions, gatekeeper }: FeedApi,
): Promise<ProjectFlags> {
  const project = token
    ? await liveDefinitions.find(token)
    : await liveDefinitions.findById(await gatekeeper.current(caller, undefined));
  if (!project) throw new NotAuthenticated('No project has this token.', 'authentication_failed');
  return project;
}
