/**
 * Sends batches of rows to a URL while parts are written: each at least once. Every attempt cuts a part of a run into the same batches with
 * the same keys. A receiver can therefore recognize a repeated batch by its key, or by the uuids of its rows.
 */
import { hostRules } from '../../../platform/net/host-rules.ts';
import type { DestinationEnvironment } from '../environment.ts';
import type { Delivery } from '../delivery.ts';
import { defineDestination } from '../define.ts';
import { noDeliveries, oneWaySession } from '../one-way.ts';
import { batchesOf } from './batches.ts';
import { CAPTURE_COLUMNS, captureEvent } from './capture.ts';
import { batchLimits, checkHttpConfig, HttpSchema, type HttpConfig } from './config.ts';
import { httpFault } from './faults.ts';
import { openSender, type SenderOptions } from './sender.ts';
import { fillBody, headersOf, joinLines, valuesOf } from './template.ts';

const LEFTOVER_WARNING = 'Batches that the receiver acknowledged before the run ended stay with the receiver.';

/** The URL may contain a secret of the receiver, so none of it is shown. Receipts keep the location, so it does not change. */
const locationOf = ({ body_format }: HttpConfig): string => `http (${body_format})`;

const placeOf = ({ url }: HttpConfig): string => `http:${url}`;

function neededColumns({ body_format }: HttpConfig): readonly string[] {
  return body_format === 'capture' ? CAPTURE_COLUMNS : [];
}

/** Fields of a delivery that a body may have. */
type About = Pick<Delivery, 'exportId' | 'runId' | 'model' | 'start' | 'end'>;

function bodyOf(config: HttpConfig, about: About, lines: readonly Buffer[], key: string): Buffer {
  if (config.body_format === 'template')
    return fillBody(config.body_template, valuesOf(about, config.token ?? '', key), lines);
  const head = `{"api_key":${JSON.stringify(config.token)},"historical_migration":true,"batch":[`;
  return Buffer.concat([Buffer.from(head), ...joinLines(lines.map(captureEvent), ','), Buffer.from(']}')]);
}

function senderTo(
  config: HttpConfig,
  { allowedHosts }: DestinationEnvironment,
  {
    headers,
    ...options
  }: Pick<SenderOptions, 'signal' | 'attempts' | 'onRequest'> & { headers?: Record<string, string> },
) {
  return openSender({
    url: new URL(config.url),
    headers: { ...headersOf(config.headers, config.token ?? ''), ...headers },
    signingSecret: config.signing_secret ?? null,
    gzip: config.gzip,
    isCapture: config.body_format === 'capture',
    rules: hostRules(allowedHosts),
    ...options,
  });
}

export const http = defineDestination<HttpConfig>({
  type: 'HTTP',
  title: 'HTTP',
  promises: [{ when: {}, first: 'at_least_once', redelivery: 'repeats_by_uuid', readers: 'half_while_sent' }],
  // JSON lines, which become bodies without being parsed.
  takes: 'files',
  config: HttpSchema,
  secretsGoTo: ['url'],
  neededColumns,
  validate: checkHttpConfig,
  place: placeOf,
  keySpace: (config, { exportId }) => `${placeOf(config)}#${exportId}`,
  label: ({ body_format }) => `HTTP (${body_format})`,
  steps: [
    {
      name: 'Check that the receiver accepts a batch',
      description: 'Ensure that the receiver answers a batch without rows, marked by the header Sluice-Test, with 2xx.',
      async run(config, { model, environment, signal }) {
        const sender = senderTo(config, environment, { signal, headers: { 'sluice-test': 'true' }, attempts: 1 });
        try {
          await sender.send(bodyOf(config, { exportId: '', runId: '', model, start: '', end: '' }, [], 'test'), 'test');
        } finally {
          sender.close();
        }
      },
    },
  ],
  names: () => [],
  listDeliveries: noDeliveries,
  async open(config, delivery, context, environment) {
    const { signal, onRequest } = context;
    const { send, close } = senderTo(config, environment, { signal, onRequest });
    return oneWaySession({
      location: locationOf(config),
      delivery,
      context,
      leftoverWarning: LEFTOVER_WARNING,
      close: async () => close(),
      async take({ index }, source) {
        const missingColumn = neededColumns(config).find(
          (name) => !delivery.columns.some((column) => column.name === name),
        );
        if (missingColumn !== undefined)
          throw httpFault('columns_missing', { sentence: `The capture format needs the column '${missingColumn}'.` });
        let batches = 0;
        for await (const lines of batchesOf(source.file(), batchLimits(config))) {
          const key = `${delivery.runId}/${index}/${batches}`;
          await context.step(`batch-${index}-${batches}`);
          // An attempt that was frozen must not go on once a later run has the interval.
          await context.ownership.assertNotSuperseded();
          await send(bodyOf(config, delivery, lines, key), key);
          batches += 1;
        }
        return { batches };
      },
    });
  },
});
