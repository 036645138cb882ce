/** Configuration of an HTTP destination. */
import { InvalidInput } from '../../../platform/errors.ts';
import { checkUrl } from '../../../platform/net/endpoint.ts';
import { checkSigningSecret } from '../../../platform/net/webhook-signature.ts';
import { nullable, stringEnum, Type } from '../../../platform/schema.ts';
import { checkHostOf, type DestinationEnvironment } from '../environment.ts';
import { addGroup, shownWhen } from '../define.ts';
import { secret } from '../secret.ts';
import { checkTemplate, headersOf, PLACEHOLDERS } from './template.ts';

export const BODY_FORMATS = ['capture', 'template'] as const;

const MAX_BATCH_ROWS = 5_000;
const MEBIBYTE = 1024 * 1024;

export type HttpConfig = {
  url: string;
  /** Required by the capture format, and by a template or header with its placeholder. */
  token?: string | null;
  signing_secret?: string | null;
  body_format: (typeof BODY_FORMATS)[number];
  body_template: string;
  headers: string[];
  gzip: boolean;
  max_batch_rows: number;
  max_batch_mb: number;
};

export const HttpSchema = Type.Object(
  {
    ...addGroup('connection', {
      url: Type.String({
        minLength: 1,
        maxLength: 2000,
        title: 'URL',
        examples: ['https://sluice.example.com/batch/'],
        description:
          'The URL that receives the batches, without secrets, because readers of the export see it. Only hosts allowed ' +
          'by the operator may be used without TLS.',
      }),
    }),
    token: Type.Optional({
      ...nullable(secret('Token'), { title: 'Token' }),
      writeOnly: true,
      format: 'password',
      'x-group': 'connection',
      'x-required-when': { body_format: ['capture'] },
    }),
    signing_secret: Type.Optional({
      ...nullable(
        Type.String({
          pattern: '^whsec_[A-Za-z0-9+/]{32,86}={0,2}$',
          description: 'The key that signs the requests: whsec_ and the base64 of 24 to 64 bytes.',
        }),
        { title: 'Signing secret' },
      ),
      writeOnly: true,
      format: 'password',
      'x-group': 'connection',
    }),
    ...addGroup('place', {
      body_format: stringEnum(BODY_FORMATS, {
        title: 'Body format',
        default: 'capture',
        description: 'capture: events for the capture API of Sluice or PostHog. template: as the body template says.',
      }),
      body_template: shownWhen(
        { body_format: ['template'] },
        Type.String({
          default: '{"rows":{{rows}}}',
          maxLength: 20_000,
          title: 'Body template',
          description: `Template only: the body of each request. It may contain ${PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ')}.`,
        }),
      ),
      headers: Type.Array(Type.String({ maxLength: 2000 }), {
        default: [],
        maxItems: 20,
        title: 'Headers',
        description: 'Headers of each request, as "Name: value". {{token}} stands for the token.',
      }),
    }),
    ...addGroup('advanced', {
      gzip: Type.Boolean({ default: false, title: 'Compress', description: 'Compress the bodies with gzip.' }),
      max_batch_rows: Type.Integer({
        minimum: 1,
        maximum: MAX_BATCH_ROWS,
        default: 1000,
        title: 'Rows in a batch',
        description: 'The maximum number of rows in a request.',
      }),
      max_batch_mb: Type.Integer({
        minimum: 1,
        maximum: 50,
        default: 5,
        title: 'Size of a batch',
        description: 'The maximum size of the rows of a request before compression, in megabytes.',
      }),
    }),
  },
  { additionalProperties: false },
);

/** @throws InvalidInput naming the field */
export async function checkHttpConfig(config: HttpConfig, environment: DestinationEnvironment): Promise<void> {
  await checkHostOf('url', environment, async (rules) => checkUrl(config.url, rules));
  headersOf(config.headers, config.token ?? '');
  if ((config.token ?? null) === null && usesToken(config))
    throw new InvalidInput('This field is required.', 'token', 'required');
  if (config.body_format === 'template') checkTemplate(config.body_template);
  if (config.signing_secret) checkSigningSecret(config.signing_secret, 'signing_secret');
}

const usesToken = ({ body_format, body_template, headers }: HttpConfig) =>
  body_format === 'capture' || [body_template, ...headers].some((text) => /\{\{\s*token\s*\}\}/.test(text));

export function batchLimits({ max_batch_rows: rows, max_batch_mb: megabytes }: HttpConfig) {
  return { rows, bytes: megabytes * MEBIBYTE };
}
