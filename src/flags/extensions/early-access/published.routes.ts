/** `/api/early_access_features/`: features that a web page may offer to its users. */
import { json, route } from '../../../platform/http/route.ts';
import { Type, type Static } from '../../../platform/schema.ts';
import type { LiveDefinitions } from '../../definitions/live-definitions.ts';
import { getProjectByToken, cacheByProjectVersion, TokenQuery } from '../../published.ts';
import type { EarlyAccessStore, PublishedFeature } from './features.store.ts';

const PublishedFeatureBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    description: Type.String(),
    stage: Type.String(),
    documentationUrl: Type.String(),
    payload: Type.Record(Type.String(), Type.Unknown()),
    flagKey: Type.String({ description: 'The key of the flag that enrollment turns on.' }),
  },
  { title: 'PublishedEarlyAccessFeature' },
);

export type PublishedFeaturesApi = {
  publishedFeatures: { list(query: Static<typeof TokenQuery>): Promise<readonly PublishedFeature[]> };
};

/** Lists features from memory until the project changes. */
export function publishedFeatures(
  live: Pick<LiveDefinitions, 'find'>,
  store: EarlyAccessStore,
): PublishedFeaturesApi['publishedFeatures'] {
  const featuresOf = cacheByProjectVersion((projectId) => store.listPublished(projectId));
  return { list: async (query) => featuresOf(await getProjectByToken(live, query)) };
}

const listPublishedFeatures = route({
  method: 'get',
  path: '/api/early_access_features/',
  operationId: 'published_early_access_features_list',
  errors: [401, 403],
  access: { public: true },
  query: Type.Object({
    ...TokenQuery.properties,
    stage: Type.Array(Type.String(), {
      default: ['beta'],
      description: 'Returns only features in these stages; may be repeated.',
    }),
  }),
  answers: { 200: Type.Object({ earlyAccessFeatures: Type.Array(PublishedFeatureBody) }) },
  summary: 'List the published early access features of a project',
  description:
    'For web pages; drafts are never listed. Early access features are managed at `/early_access_feature/` of ' +
    'the project.',
  async handle({ query }, { publishedFeatures }: PublishedFeaturesApi) {
    const features = await publishedFeatures.list(query);
    // Leaves out drafts, because anyone with the public key can read this.
    const published = features.filter(({ stage }) => stage !== 'draft' && query.stage.includes(stage));
    return json(200, { earlyAccessFeatures: published.map(present) });
  },
});

function present(feature: PublishedFeature): Static<typeof PublishedFeatureBody> {
  const { id, name, description, stage, documentationUrl, payload, flagKey } = feature;
  return { id, name, description, stage, documentationUrl, payload, flagKey };
}

export const publishedFeatureRoutes = [listPublishedFeatures];
