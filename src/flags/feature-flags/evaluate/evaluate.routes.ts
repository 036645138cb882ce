/** `/feature_flags/evaluate/`: the value of a flag for one evaluation context, and how it was decided. */
import { json, route } from '../../../platform/http/route.ts';
import { nullable, Type } from '../../../platform/schema.ts';
import type { Properties } from '../../../conditions/operators/json-values.ts';
import type { FlagEvaluation } from './explain.ts';

export type FlagEvaluationApi = { flagEvaluation: FlagEvaluation };

const Anything = Type.Record(Type.String(), Type.Unknown());

const EvaluateBody = Type.Object(
  {
    flag: Type.Union(
      [Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1 }), Type.String({ minLength: 1, maxLength: 400 })],
      {
        description: 'The ID (a number) or the key (a string) of the flag.',
      },
    ),
    distinct_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'A distinct ID of the person; needs viewer access to persons, and of a key the scope `person:read`. Without it, only ' +
          'the properties in this request count, and the bucket is 0.',
      }),
    ),
    person_properties: Type.Optional({ ...Anything, description: 'Properties that replace stored ones.' }),
    groups: Type.Optional(
      Type.Record(Type.String(), Type.String({ maxLength: 400 }), {
        description: 'Group keys by group type; needs viewer access to groups, and of a key the scope `group:read`.',
      }),
    ),
    group_properties: Type.Optional(
      Type.Record(Type.String(), Anything, { description: 'Properties by group type that replace stored ones.' }),
    ),
    filters: Type.Optional({
      ...Anything,
      description: 'Filters that are not saved, in the format of the flag’s own, which they replace.',
    }),
  },
  { title: 'FlagEvaluationOf' },
);

const REASONS =
  '`condition_match`, `no_condition_match`, `out_of_rollout_bound`, `no_group_type`, `no_device`, `not_evaluated` if an ' +
  'earlier step decided, or why it failed.';

const evaluate = route({
  method: 'post',
  path: '/feature_flags/evaluate/',
  access: { scope: 'feature_flag:read', filtered: true },
  body: EvaluateBody,
  answers: {
    200: Type.Object(
      {
        id: Type.Integer(),
        key: Type.String(),
        version: Type.Integer(),
        active: Type.Boolean({
          description: 'If false, everybody gets false; the rest of the response is as if the flag were active.',
        }),
        value: Type.Union([Type.Boolean(), Type.String()], {
          description: 'The key of the variant for flags with variants, otherwise true or false.',
        }),
        reason: Type.Object({
          code: Type.String({ description: 'One of the reasons in flag evaluations.' }),
          description: Type.String(),
          condition_index: nullable(Type.Integer()),
        }),
        condition_sets: Type.Array(
          Type.Object({
            index: Type.Integer(),
            matches: nullable(Type.Boolean({ description: 'null if it was not evaluated, or failed.' })),
            reason: Type.String({ description: REASONS }),
            bucket: nullable(
              Type.Number({
                minimum: 0,
                maximum: 100,
                description:
                  'The hash of the person, device or group as a percentage: it is in the rollout if this is at most the ' +
                  'rollout percentage. null if the filters did not match.',
              }),
            ),
          }),
        ),
      },
      { title: 'FlagEvaluation' },
    ),
  },
  summary: 'Evaluate a flag and trace its condition sets',
  description:
    'Evaluates a flag as it is saved or with other `filters`, without side effects: nothing is stored, captured or counted as a ' +
    'request for flags.',
  async handle({ project, caller, rights, body }, { flagEvaluation }: FlagEvaluationApi) {
    const subject = {
      distinctId: body.distinct_id,
      personProperties: (body.person_properties ?? {}) as Properties,
      groups: body.groups ?? {},
      groupProperties: (body.group_properties ?? {}) as Readonly<Record<string, Properties>>,
    };
    const { flag, decision, sets } = await flagEvaluation.explain(project, body.flag, subject, body.filters, {
      caller,
      rights,
    });
    const { code, description, conditionIndex } = decision.reason;
    return json(200, {
      id: flag.id,
      key: flag.key,
      version: flag.version,
      active: flag.active,
      value: decision.variant ?? decision.enabled,
      reason: { code, description, condition_index: conditionIndex },
      condition_sets: sets.map((set, index) => ({
        index,
        matches: set && (set.reason in MATCHES ? MATCHES[set.reason]! : null),
        reason: set?.reason ?? 'not_evaluated',
        bucket: set?.hash === undefined ? null : set.hash * 100,
      })),
    });
  },
});

const MATCHES: Readonly<Record<string, boolean>> = {
  condition_match: true,
  no_condition_match: false,
  out_of_rollout_bound: false,
  no_group_type: false,
  no_device: false,
};

/** Must precede the routes of single flags, because its path could be that of a flag. */
export const flagEvaluationRoutes = [evaluate];
