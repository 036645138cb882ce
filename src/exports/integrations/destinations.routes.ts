/** `/batch_exports/destinations/`: the destinations that this installation offers, with all that a form needs to ask for them. */
import { json, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import type { ExportsApi } from '../api.ts';
import { ModelBody, presentModels } from '../batch-exports/content-fields.ts';
import type { Destination } from '../destinations/contract.ts';
import { FIELD_GROUPS } from '../destinations/define.ts';
import { DELIVERY_PROMISES, deliveryPromiseOf } from '../destinations/promises.ts';
import { SUPPORTED_COMPRESSIONS } from '../formats/file-encoding.ts';
import { PromisesBody } from './promises.schema.ts';

const DestinationBody = Type.Object(
  {
    type: Type.String({ description: 'The `type` of a batch export’s `destination`.' }),
    title: Type.String({ description: 'The name for people.' }),
    writes: stringEnum(['files', 'rows'], { description: 'Whether an interval becomes files, or rows of a table.' }),
    delivery: stringEnum(DELIVERY_PROMISES, {
      description: 'Whether a receiver may see rows twice, in short; `promises` has the details.',
    }),
    promises: Type.Array(
      Type.Object({
        when: Type.Record(Type.String(), Type.String(), {
          description: 'The fields of `config` and the values for which these promises hold; empty: for all others.',
        }),
        ...PromisesBody.properties,
      }),
      { description: 'The promises about deliveries. The first whose `when` agrees with `config` holds.' },
    ),
    config: Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The JSON Schema of `config`. Each field has a `title`, and an `x-group`, one of ' +
        `${FIELD_GROUPS.map((group) => `\`${group}\``).join(', ')}; \`x-when\` names the values of other fields with which a field has an effect, \`x-required-when\` those with which it is required; \`writeOnly\` marks secrets, \`x-credential\` other fields that belong to the credentials, \`format\` is \`password\` for those that a form hides while they are typed, \`examples\` holds a placeholder.`,
    }),
    replaced_secrets: Type.Array(Type.String(), {
      description: 'Fields whose change requires the secrets to be sent again.',
    }),
    compressions: nullable(Type.Record(Type.String(), Type.Array(Type.String())), {
      description: 'The compressions that each `file_format` supports; null for destinations without files.',
    }),
    integration: nullable(
      Type.Object({
        kind: Type.String({ description: 'The kind of integration that may be used instead.' }),
        fields: Type.Array(Type.String(), { description: 'The fields that the integration provides.' }),
      }),
      { description: 'The integration that may provide credentials; null if there is none.' },
    ),
    steps: Type.Array(Type.Object({ name: Type.String(), description: Type.String() }), {
      description: 'The steps of `run_test_step_new/` and `run_test_step/`, in their order.',
    }),
  },
  { title: 'Destination' },
);

const listDestinations = route({
  method: 'get',
  path: '/batch_exports/destinations/',
  access: { scope: 'batch_export:read' },
  answers: {
    200: Type.Object(
      {
        results: Type.Array(DestinationBody),
        models: Type.Array(ModelBody),
        aws_external_id: nullable(Type.String(), {
          description:
            'The external ID that the trust policy of a role (`aws_role_arn`) must ask for; null if this installation assumes no roles.',
        }),
      },
      { title: 'Destinations' },
    ),
  },
  summary: 'List the types of destinations with the schemas of their configurations, and the models',
  async handle({ project }, { testSteps }: ExportsApi) {
    return json(200, {
      results: testSteps.destinations().map(presentDestination),
      models: presentModels(),
      aws_external_id: await testSteps.awsExternalIdOf(project.id),
    });
  },
});

const COMPRESSIONS = Object.fromEntries(
  Object.entries(SUPPORTED_COMPRESSIONS).map(([format, compressions]) => [format, [...compressions]]),
);

export const destinationRoutes = [listDestinations];

function presentDestination({
  type,
  title,
  takes,
  promises,
  config,
  secretsGoTo,
  integration,
  steps,
}: Destination): Static<typeof DestinationBody> {
  const fields = config.properties;
  return {
    type,
    title,
    writes: takes,
    delivery: deliveryPromiseOf(promises),
    promises: promises.map(({ when, ...one }) => ({ when: { ...when }, ...one })),
    config: { ...config },
    replaced_secrets: secretsGoTo.filter((field) => field in fields),
    compressions: 'file_format' in fields ? { ...COMPRESSIONS } : null,
    integration: integration ? { kind: integration.kind, fields: [...integration.fields] } : null,
    steps: steps.map(({ name, description }) => ({ name, description })),
  };
}
