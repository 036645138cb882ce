/** Types of destination and their fields, as the API describes them, and their configurations in a form. */
import { queryOptions } from '@tanstack/react-query';
import { api, unwrap } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';

type Body = components['schemas']['Destination'];
/** A type of destination with its fields as a form shows them. */
export type DestinationType = Pick<
  Body,
  'type' | 'title' | 'writes' | 'promises' | 'steps' | 'replaced_secrets' | 'integration'
> & {
  fields: Field[];
};
export type Model = components['schemas']['ExportedModel'];
/** Types of destination and models of an installation. */
export type OfferedTypes = { types: readonly DestinationType[]; models: readonly Model[] };

export type Field = {
  name: string;
  title: string;
  description: string | undefined;
  /** Such as `place`. */
  group: string;
  kind: 'text' | 'integer' | 'boolean' | 'choice' | 'list';
  choices: readonly string[];
  default: unknown;
  required: boolean;
  nullable: boolean;
  secret: boolean;
  /** Whether it is hidden while it is typed. */
  hidden: boolean;
  placeholder: string | undefined;
  /** Values of other fields with which this one has an effect; undefined: with any. */
  when: Condition | undefined;
  requiredWhen: Condition | undefined;
};

type Condition = Readonly<Record<string, readonly unknown[]>>;

/** The part of JSON Schema that configurations of destinations use. */
type Schema = {
  type?: string;
  enum?: string[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  title?: string;
  description?: string;
  default?: unknown;
  examples?: string[];
  readOnly?: boolean;
  writeOnly?: boolean;
  format?: string;
  'x-group'?: string;
  'x-when'?: Condition;
  'x-required-when'?: Condition;
};

export type Config = Readonly<Record<string, unknown>>;

/** Prefix of configuration fields in errors and links. */
export const CONFIG = 'destination__config__';
export const attrOf = (name: string): string => CONFIG + name;

export const offerQuery = (projectId: number) =>
  queryOptions({
    queryKey: ['destination-types', projectId] as const,
    queryFn: async ({ signal }) => {
      const path = { project_id: projectId };
      const address = '/api/environments/{project_id}/batch_exports/destinations/';
      const offer = await unwrap(api.GET(address, { params: { path }, signal }));
      const fieldsIn = (config: Schema) => withExternalId(fieldsOf(config), offer.aws_external_id);
      const types = offer.results.map((one): DestinationType => ({ ...one, fields: fieldsIn(one.config) }));
      return { types, models: offer.models };
    },
    staleTime: Infinity,
  });

/** A role needs the external ID of the project; without one, the installation assumes no roles, and the field is left out. */
function withExternalId(fields: Field[], externalId: string | null): Field[] {
  return fields.flatMap((field) => {
    if (field.name !== 'aws_role_arn') return [field];
    return externalId === null ? [] : [{ ...field, description: `${field.description} It is ${externalId}.` }];
  });
}

function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  const given = Object.entries(properties).filter(([, { readOnly }]) => !readOnly);
  return given.map(([name, outer]): Field => {
    const inner = outer.anyOf?.find(({ type }) => type !== 'null') ?? outer;
    return {
      name,
      title: outer.title ?? inner.title ?? name,
      description: outer.description ?? inner.description,
      group: outer['x-group'] ?? 'advanced',
      kind: kindOf(inner),
      choices: inner.enum ?? [],
      default: outer.default,
      required: required.includes(name) && outer.default === undefined,
      nullable: outer !== inner,
      secret: (outer.writeOnly ?? inner.writeOnly) === true,
      hidden: (outer.format ?? inner.format) === 'password',
      placeholder: (outer.examples ?? inner.examples)?.[0],
      when: outer['x-when'],
      requiredWhen: outer['x-required-when'],
    };
  });
}

function kindOf({ type, enum: values }: Schema): Field['kind'] {
  if (values) return 'choice';
  if (type === 'integer' || type === 'boolean') return type;
  return type === 'array' ? 'list' : 'text';
}

const agrees = (when: Condition, config: Config) =>
  Object.entries(when).every(([name, values]) => values.includes(config[name]));

/** Whether the field has an effect with the present values of other fields. */
export const isRelevant = ({ when }: Field, config: Config): boolean => when === undefined || agrees(when, config);

export const isRequired = ({ required, requiredWhen }: Field, config: Config): boolean =>
  required || (requiredWhen !== undefined && agrees(requiredWhen, config));

/** @param before configuration of another type; fields that both types have keep their values */
export function initialConfig({ fields }: DestinationType, before: Config = {}): Config {
  const filled = fields.map(({ name, default: usual }) => [name, name in before ? before[name] : usual] as const);
  return Object.fromEntries(filled.filter(([, value]) => value !== null && value !== undefined));
}

type Destination = { config: Config; integration: number | null };

/** @returns the changed field that names the receiver of the secrets: the server refuses to send them there unless they are given again */
export function movedField(
  { fields, replaced_secrets: names }: DestinationType,
  after: Destination,
  before: Destination,
) {
  const moved = names.find((one) => (after.config[one] ?? null) !== (before.config[one] ?? null));
  return fields.find(({ name }) => name === moved);
}

/** Why a secret that the server has is asked for again. */
export const reentryText = ({ title }: Field): string =>
  `${title} changed: enter this again, so that it is not sent to another server.`;

/** Whether the server keeps secrets that are not typed again: it must not send them to a place that they were not given for. */
export const keepsSecrets = (type: DestinationType, after: Destination, before: Destination): boolean =>
  before.integration === null && !movedField(type, after, before);

/** @returns the configuration of a new receiver: it drops secrets that may be missing and are not given again */
export function dropSecrets({ fields }: DestinationType, config: Config): Config {
  const dropped = fields.filter((one) => one.secret && one.nullable && config[one.name] === undefined);
  return { ...config, ...Object.fromEntries(dropped.map(({ name }) => [name, null])) };
}

/** @param hasSecrets whether the server has the secrets already @returns the first required field that has no value */
export function missingField(
  { fields, integration }: DestinationType,
  destination: { config: Config; integration: number | null },
  hasSecrets: boolean,
): Field | undefined {
  const integrationFields = destination.integration === null ? [] : (integration?.fields ?? []);
  return fields.find(
    (field) =>
      isRequired(field, destination.config) &&
      !integrationFields.includes(field.name) &&
      !(field.secret && hasSecrets) &&
      textOf(destination.config[field.name]) === '',
  );
}

/** A value as its input shows it. */
export function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/** @returns the configuration with the typed text; an empty text removes the value */
export function withText(config: Config, field: Field, text: string): Config {
  const { [field.name]: _, ...others } = config;
  if (text === '') {
    // Null empties a nullable field. Other fields are left out: the default counts, or the server keeps its secret.
    if (field.secret || field.required || !field.nullable) return others;
    return { ...others, [field.name]: null };
  }
  return { ...others, [field.name]: valueOf(field, text) };
}

function valueOf({ kind }: Field, text: string): unknown {
  if (kind === 'list') return text.split('\n').filter((line, index, all) => line !== '' || index === all.length - 1);
  // The server says what is wrong with a text that is no number.
  if (kind === 'integer') return /^\d+$/.test(text) ? Number(text) : text;
  return text;
}

type Promises = DestinationType['promises'][number];

const FIRST: Record<Promises['first'], string> = {
  exactly_once: 'Each row is delivered once.',
  at_least_once: 'A row can arrive more than once, under the same uuid.',
  counts_only: 'Rows are counted and delivered nowhere.',
};
const REDELIVERY: Record<Promises['redelivery'], string> = {
  replaces: 'A later delivery of a data interval replaces the earlier one.',
  repeats_by_uuid: 'A later delivery of a data interval sends its rows again, so none is made automatically.',
  counts_only: '',
};
const READERS: Record<Promises['readers'], string> = {
  never_half: 'Readers never see half of a delivery.',
  half_while_replaced: 'Readers may see a later delivery half-written.',
  half_while_sent: 'Rows can be read before their data interval is complete.',
  no_rows: '',
};

/** Sentences about the guarantees of a destination with this configuration. */
export function promisesText({ promises }: DestinationType, config: Config): string {
  const found = promises.find(({ when }) => Object.entries(when).every(([field, value]) => config[field] === value));
  if (!found) return '';
  return [FIRST[found.first], REDELIVERY[found.redelivery], READERS[found.readers]].filter(Boolean).join(' ');
}
