/** `/feature_flags/...`: values of flags, the number of persons that they affect, and their status. */
import { InvalidInput, NotFound, PermissionDenied } from '../../platform/errors.ts';
import { json, route } from '../../platform/http/route.ts';
import { nullable, Type } from '../../platform/schema.ts';
import type { Decision } from '../evaluation/decision.ts';
import type { FlagAnswers, Groups } from './answers.ts';
import type { FlagManagementApi } from './feature-flags.routes.ts';
import type { FlagQuery } from './list.store.ts';
import { presentSummary } from './present.ts';
import { FlagParams, FlagStatusBody, FLAG_IN_PATH } from './schema.ts';
import { statusOf } from './status.ts';

export type FlagAnswersApi = FlagManagementApi & { flagAnswers: FlagAnswers };

const ALL: Omit<FlagQuery, 'visible'> = {
  order: { column: 'created_at', descending: true },
  limit: 2 ** 31 - 1,
  offset: 0,
};

const Value = Type.Union([Type.Boolean(), Type.String()], {
  description: 'The key of the variant for flags with variants, otherwise true or false.',
});
const GroupsText = Type.Optional(
  Type.String({ maxLength: 10_000, description: 'A JSON object of group keys by group type.' }),
);

const myFlags = route({
  method: 'get',
  path: '/feature_flags/my_flags/',
  access: { scope: 'feature_flag:read', filtered: true },
  query: Type.Object({ groups: GroupsText }),
  answers: {
    200: Type.Array(Type.Object({ feature_flag: Type.Record(Type.String(), Type.Unknown()), value: Value })),
  },
  summary: 'List all flags with their values for the user of the key, newest flag first',
  async handle({ project, caller, rights, query }, { featureFlags, flagAnswers }: FlagAnswersApi) {
    const distinctId = caller.userId === null ? undefined : await flagAnswers.distinctIdOf(caller.userId);
    if (distinctId === undefined)
      throw new PermissionDenied('This requires a personal API key, because project keys belong to no user.');
    const { decisions } = await flagAnswers.decideAll(project.id, distinctId, groupsOf(query.groups));
    const { results } = await featureFlags.list(project.id, { ...ALL, visible: rights.visible('feature_flag') });
    const answers = results.map((flag) => ({
      feature_flag: presentSummary(flag),
      value: valueOf(decisions.get(flag.key)),
    }));
    return json(200, answers);
  },
});

const evaluationReasons = route({
  method: 'get',
  path: '/feature_flags/evaluation_reasons/',
  access: { scope: 'feature_flag:read', filtered: true },
  query: Type.Object({ distinct_id: Type.String({ minLength: 1, maxLength: 400 }), groups: GroupsText }),
  answers: {
    200: Type.Record(
      Type.String(),
      Type.Object({
        value: Value,
        evaluation: Type.Object({
          reason: Type.String({ description: 'The reason: `disabled`, or one of the reasons in flag evaluations.' }),
          condition_index: nullable(
            Type.Integer({ description: 'The index of the matching condition set, from 0; null if there is none.' }),
          ),
        }),
      }),
    ),
  },
  summary: 'Explain the value of each flag for a person',
  async handle({ project, rights, query }, { featureFlags, flagAnswers }: FlagAnswersApi) {
    const hidden = new Set(await featureFlags.hiddenKeys(project.id, rights));
    const { keys, decisions } = await flagAnswers.decideAll(project.id, query.distinct_id, groupsOf(query.groups));
    return json(
      200,
      Object.fromEntries(
        keys
          .filter((key) => !hidden.has(key))
          .map((key) => {
            const decision = decisions.get(key);
            const { code: reason, conditionIndex } = decision?.reason ?? { code: 'disabled', conditionIndex: null };
            return [key, { value: valueOf(decision), evaluation: { reason, condition_index: conditionIndex } }];
          }),
      ),
    );
  },
});

const userBlastRadius = route({
  method: 'post',
  path: '/feature_flags/user_blast_radius/',
  access: { scope: 'feature_flag:read' },
  body: Type.Object(
    {
      condition: Type.Record(Type.String(), Type.Unknown(), {
        description: 'A condition set in the format of `filters.groups`.',
      }),
      group_type_index: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: 4 }))),
    },
    { title: 'BlastRadiusOf' },
  ),
  answers: {
    200: Type.Object({
      users_affected: Type.Integer({
        description: 'The number of persons or groups that match, before the rollout percentage is applied.',
      }),
      total_users: Type.Integer(),
    }),
  },
  summary: 'Count the persons or groups that match a condition set',
  description:
    'Conditions on other flags are treated as met. Responds with 503 if the count takes longer than five seconds.',
  async handle({ project, rights, body }, { flagAnswers }: FlagAnswersApi) {
    const { matching, total } = await flagAnswers.blastRadius(
      project,
      body.condition,
      body.group_type_index ?? null,
      rights,
    );
    return json(200, { users_affected: matching, total_users: total });
  },
});

const flagStatus = route({
  method: 'get',
  path: '/feature_flags/:id/status/',
  access: { scope: 'feature_flag:read', object: FLAG_IN_PATH },
  params: FlagParams,
  answers: { 200: FlagStatusBody },
  summary: 'Check whether a flag still affects any decision',
  description: 'A flag is stale if it has the same value for everyone and was created more than 30 days ago.',
  async handle({ project, params }, { featureFlags }: FlagAnswersApi) {
    return json(200, statusOf(await featureFlags.get(project.id, params.id), Date.now()));
  },
});

const remoteConfig = route({
  method: 'get',
  path: '/feature_flags/:key/remote_config/',
  access: { scope: 'feature_flag:read', filtered: true },
  params: Type.Object({ key: Type.String({ description: 'The key or ID of the flag.' }) }),
  errors: [409],
  answers: { 200: nullable(Type.String({ description: 'The payload as JSON text; null if there is none.' })) },
  summary: 'Retrieve the payload of a remote configuration',
  description: 'Encrypted payloads can be read only here.',
  async handle({ project, rights, params }, { featureFlags }: FlagAnswersApi) {
    const payload = await featureFlags.remoteConfig(project.id, rights, params.key);
    if (payload === undefined) throw new NotFound();
    return json(200, payload);
  },
});

function valueOf(decision: Decision | undefined): boolean | string {
  return decision?.variant ?? decision?.enabled ?? false;
}

/** @throws InvalidInput for anything but a JSON object */
function groupsOf(text: string | undefined): Groups {
  if (text === undefined) return {};
  try {
    const groups = JSON.parse(text) as unknown;
    if (typeof groups === 'object' && groups !== null && !Array.isArray(groups)) {
      const entries = Object.entries(groups).filter(([, key]) => typeof key === 'string' || typeof key === 'number');
      return Object.fromEntries(entries.map(([type, key]) => [type, String(key)]));
    }
  } catch {
    // The error below reports it.
  }
  throw new InvalidInput('This is not a JSON object of group keys.', 'groups');
}

/** Must precede the route `/feature_flags/:id/`, whose `:id` would match the words in these paths. */
export const flagAnswerRoutes = [myFlags, evaluationReasons, userBlastRadius, flagStatus, remoteConfig];
