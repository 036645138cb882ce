/** Names that lead to a public server when they are saved, and inside when they are used. */
import assert from 'node:assert/strict';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { connectTo } from '../../../src/platform/net/connect.ts';
import { checkEndpoint } from '../../../src/platform/net/endpoint.ts';
import { HOST_REFUSED, hostRules } from '../../../src/platform/net/host-rules.ts';
import { post } from '../../../src/platform/net/post.ts';
import { answerNames } from '../../support/names.ts';
import { serviceAccountKey } from '../../support/servers/gcs/fake-gcs.ts';

const NAME = 'db.rebinding.example';
const PUBLIC = '8.8.8.8';
const INSIDE = [
  '127.0.0.1',
  '169.254.169.254',
  '10.0.0.1',
  '::1',
  '::ffff:127.0.0.1',
  'fe80::1',
  'fd00::1',
  '64:ff9b::7f00:1',
];
const environment = { localRoot: undefined, allowedHosts: [] };
const signal = new AbortController().signal;
const context = { projectId: 7, model: 'events', columns: [], merge: null, environment, signal };

describe('a name that leads elsewhere later', () => {
  let server: Server;
  let port: number;
  let knocks: number;
  /** Answers of the name server in their order; the last one is repeated. */
  let answers: string[][];
  let lookupCount: number;

  const answer = (name: string): string[] | undefined => {
    if (name !== NAME) return undefined;
    lookupCount++;
    return answers.length > 1 ? answers.shift() : answers[0];
  };

  let endAnswers: () => void;
  let key: string;

  before(async () => {
    server = createServer((socket: Socket) => {
      knocks++;
      socket.on('error', () => {}).end();
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
    key = serviceAccountKey(`https://${NAME}:${port}/token`);
    endAnswers = answerNames(answer);
  });
  after(() => {
    endAnswers();
    server.close();
  });
  beforeEach(() => {
    knocks = 0;
    lookupCount = 0;
  });

  const configs = {
    Postgres: () => ({
      host: NAME,
      port,
      user: 'u',
      password: 'p',
      database: 'd',
      schema: 'public',
      table_name: 'events',
      has_self_signed_cert: false,
    }),
    S3Compatible: () => ({
      bucket_name: 'lake',
      region: 'us-east-1',
      prefix: '',
      aws_access_key_id: 'a',
      aws_secret_access_key: 's',
      endpoint_url: `https://${NAME}:${port}`,
    }),
    AzureBlob: () => ({
      container_name: 'lake',
      prefix: '',
      connection_string: `BlobEndpoint=https://${NAME}:${port};AccountName=lake;AccountKey=${btoa('key')}`,
    }),
    GCS: () => ({
      bucket_name: 'lake',
      prefix: '',
      service_account_key: key,
      endpoint_url: null,
    }),
    Iceberg: () => ({
      catalog_uri: `https://${NAME}:${port}/iceberg`,
      warehouse: null,
      namespace: 'analytics',
      table_name: 'events',
      region: 'us-east-1',
      aws_access_key_id: 'a',
      aws_secret_access_key: 's',
      endpoint_url: null,
      use_virtual_style_addressing: false,
    }),
    HTTP: () => ({ url: `https://${NAME}:${port}/rows`, token: 't', body_format: 'capture', headers: [], gzip: false }),
  };

  for (const later of [...INSIDE.map((address) => [address]), [PUBLIC, '127.0.0.1'], ['127.0.0.1', PUBLIC]]) {
    it(`is refused at the moment of connecting: ${later.join(' and ')}`, async () => {
      answers = [[PUBLIC], later];
      assert.equal(await checkEndpoint(`https://${NAME}:${port}`, hostRules([])), `https://${NAME}:${port}`);
      const refused = { message: HOST_REFUSED };
      for (const [type, config] of Object.entries(configs)) {
        const [step] = destinationOf(type, environment).steps;
        await assert.rejects(step!.run(config(), context), refused, type);
      }
      const url = new URL(`http://${NAME}:${port}/`);
      await assert.rejects(
        post({ url, headers: {}, body: '', rules: hostRules([]), timeoutMs: 5_000, signal }),
        refused,
      );
      assert.equal(knocks, 0);
    });
  }

  it('is connected to at the address that was checked, without asking again', async () => {
    answers = [['127.0.0.1'], ['127.0.0.2']];
    const socket = await connectTo({ host: NAME, port, rules: hostRules(['127.0.0.1']), timeoutMs: 1000, signal });
    assert.equal(socket.remoteAddress, '127.0.0.1');
    assert.equal(lookupCount, 1);
    socket.destroy();
    await assert.rejects(connectTo({ host: NAME, port, rules: hostRules(['127.0.0.1']), timeoutMs: 1000, signal }), {
      message: HOST_REFUSED,
    });
  });
});
