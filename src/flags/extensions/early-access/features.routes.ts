/** `/early_access_feature/`: the management of early access features. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Rights } from '../../../platform/http/access.ts';
import { offsetPage, offsetPageOf, offsetQuery, pageBounds } from '../../../platform/http/parameters/pagination.ts';
import { json, noBody, route } from '../../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../../platform/schema.ts';
import { LinkedFlagBody, presentLinkedFlag } from '../../feature-flags/linked.ts';
import { STAGES } from './enrollment.ts';
import type { EarlyAccessFeatures, ShownFeature } from './features.ts';

export type EarlyAccessApi = { earlyAccessFeatures: EarlyAccessFeatures };

/** Characters of a payload; limited, because every page that requests features gets all payloads. */
const MAX_PAYLOAD = 20_000;

const Params = Type.Object({ id: Type.String({ format: 'uuid' }) });

const name = Type.String({ minLength: 1, maxLength: 200 });
const stage = stringEnum(STAGES, {
  description: 'The stage of the feature. Persons can enroll from `alpha` to `general-availability`.',
});
const optional = {
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
  documentation_url: Type.Optional(
    Type.String({
      maxLength: 800,
      pattern: '^(https?://\\S+)?$',
      description: 'The http or https URL of the documentation.',
    }),
  ),
  payload: Type.Optional(
    nullable(Type.Record(Type.String(), Type.Unknown()), {
      description: `Arbitrary data for web pages; at most ${MAX_PAYLOAD} characters of JSON.`,
    }),
  ),
};

const NewFeatureBody = Type.Object(
  {
    name,
    stage,
    ...optional,
    feature_flag_id: Type.Optional(
      nullable(Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), {
        description:
          'The ID of an existing person-based flag without variants. By default, a flag is created, with a key ' +
          'derived from the name.',
      }),
    ),
  },
  { title: 'NewEarlyAccessFeature' },
);
const FeaturePatchBody = Type.Object(
  { name: Type.Optional(name), stage: Type.Optional(stage), ...optional },
  { title: 'EarlyAccessFeaturePatch', description: 'Omitted fields keep their values. The flag cannot be changed.' },
);

const FeatureBody = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    feature_flag: LinkedFlagBody,
    name: Type.String(),
    description: Type.String(),
    stage,
    documentation_url: Type.String(),
    payload: Type.Record(Type.String(), Type.Unknown()),
    created_at: Type.String({ format: 'date-time' }),
  },
  { title: 'EarlyAccessFeature' },
);

/** @throws InvalidInput for a payload that is too long */
function payloadOf({ payload }: Static<typeof FeaturePatchBody>): Record<string, unknown> | undefined {
  if (payload === null || payload === undefined) return payload === null ? {} : undefined;
  // tooth: feature-payload
  if (JSON.stringify(payload).length > MAX_PAYLOAD) {
    const detail = `Ensure this field has no more than ${MAX_PAYLOAD} characters, as JSON.`;
    throw new InvalidInput(detail, 'payload', 'max_length');
  }
  return payload;
}

function present({ flag, ...feature }: ShownFeature, rights: Rights): Static<typeof FeatureBody> {
  return {
    id: feature.id,
    feature_flag: presentLinkedFlag(flag, rights),
    name: feature.name,
    description: feature.description,
    stage: feature.stage,
    documentation_url: feature.documentationUrl,
    payload: feature.payload,
    created_at: feature.createdAt,
  };
}

const listFeatures = route({
  method: 'get',
  path: '/early_access_feature/',
  access: { scope: 'early_access_feature:read' },
  query: offsetQuery(),
  answers: { 200: offsetPageOf(FeatureBody) },
  summary: 'List early access features, newest first',
  async handle({ project, rights, query, url }, { earlyAccessFeatures }: EarlyAccessApi) {
    const page = await earlyAccessFeatures.list(project.id, pageBounds(query));
    return json(
      200,
      offsetPage(url, query, { ...page, results: page.results.map((result) => present(result, rights)) }),
    );
  },
});

const createFeature = route({
  method: 'post',
  path: '/early_access_feature/',
  access: { scope: 'early_access_feature:write' },
  body: NewFeatureBody,
  answers: { 201: FeatureBody },
  summary: 'Create an early access feature',
  async handle({ project, caller, rights, body }, { earlyAccessFeatures }: EarlyAccessApi) {
    const created = await earlyAccessFeatures.create(
      project,
      { ...caller, rights },
      {
        name: body.name,
        description: body.description ?? '',
        stage: body.stage,
        documentationUrl: body.documentation_url ?? '',
        payload: payloadOf(body) ?? {},
        flagId: body.feature_flag_id ?? undefined,
      },
    );
    return json(201, present(created, rights));
  },
});

const getFeature = route({
  method: 'get',
  path: '/early_access_feature/:id/',
  access: { scope: 'early_access_feature:read' },
  params: Params,
  answers: { 200: FeatureBody },
  summary: 'Retrieve an early access feature',
  async handle({ project, rights, params }, { earlyAccessFeatures }: EarlyAccessApi) {
    return json(200, present(await earlyAccessFeatures.get(project.id, params.id), rights));
  },
});

const patchFeature = route({
  method: 'patch',
  path: '/early_access_feature/:id/',
  access: { scope: 'early_access_feature:write' },
  params: Params,
  body: FeaturePatchBody,
  answers: { 200: FeatureBody },
  summary: 'Update an early access feature',
  description:
    'In a stage that permits enrollment, the flag follows the choice of each person; in any other stage, ' +
    'enrollment has no effect.',
  async handle({ project, caller, rights, params, body }, { earlyAccessFeatures }: EarlyAccessApi) {
    const changed = await earlyAccessFeatures.change(project, { ...caller, rights }, params.id, {
      name: body.name,
      description: body.description,
      stage: body.stage,
      documentationUrl: body.documentation_url,
      payload: payloadOf(body),
    });
    return json(200, present(changed, rights));
  },
});

const deleteFeature = route({
  method: 'delete',
  path: '/early_access_feature/:id/',
  access: { scope: 'early_access_feature:write' },
  params: Params,
  answers: { 204: null },
  summary: 'Delete an early access feature and keep its flag without enrollment',
  async handle({ project, caller, rights, params }, { earlyAccessFeatures }: EarlyAccessApi) {
    await earlyAccessFeatures.delete(project, { ...caller, rights }, params.id);
    return noBody(204);
  },
});

export const earlyAccessRoutes = [listFeatures, createFeature, getFeature, patchFeature, deleteFeature];
