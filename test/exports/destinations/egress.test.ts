/** Ways to a private address by every host that users type: none may open a connection when saved, tested or run. */
import assert from 'node:assert/strict';
import http from 'node:http';
import type { Destination } from '../../../src/exports/destinations/contract.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { validateConfig } from '../../../src/exports/integrations/destination-config.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { checkUrl } from '../../../src/platform/net/endpoint.ts';
import { hostRules } from '../../../src/platform/net/host-rules.ts';
import { post } from '../../../src/platform/net/post.ts';
import { recordAttempts } from '../../support/egress/connection-attempts.ts';
import { PUBLIC_ADDRESS, URL_WAYS, waysByHost, type Way } from '../../support/egress/private-addresses.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';
import { answerNames } from '../../support/names.ts';
import { seeded } from '../../support/random.ts';
import { serviceAccountKey } from '../../support/servers/gcs/fake-gcs.ts';
import { listen } from '../../support/servers/listening.ts';

/** A name that the operator lists, at which a server of the tests answers; the only one that may be connected to. */
const LISTED = 'listed.example';
const CLOSED = { localRoot: undefined, allowedHosts: [LISTED] };
const AT_ONCE = 16;
const seed = Number(process.env['SLUICE_EGRESS_SEED'] ?? Math.floor(Math.random() * 1e6));

const S3_KEYS = { aws_access_key_id: 'a', aws_secret_access_key: 's', region: 'us-east-1' };

let listedPort = 0;
/** Writes the answers of the listed server. */
let answer: (request: http.IncomingMessage, response: http.ServerResponse) => void;
const listedUrl = () => `http://${LISTED}:${listedPort}`;
const azure = (endpoint: string) => `BlobEndpoint=${endpoint};AccountName=lake;AccountKey=${btoa('key')}`;
let keyWithPlaceholder: string;
const keyFor = (url: string) => JSON.stringify({ ...(JSON.parse(keyWithPlaceholder) as object), token_uri: url });

/** A field that takes a host: the configuration is complete and harmless except for it. */
type Field = { type: string; field: string; with(url: string): Record<string, unknown> };

const ICEBERG = { namespace: 'analytics', ...S3_KEYS };
const FIELDS: readonly Field[] = [
  {
    type: 'Postgres',
    field: 'host',
    with: (url) => ({
      host: url.replace(/^https:\/\//, '').replace(/:8443$/, ''),
      user: 'u',
      password: 'p',
      database: 'd',
    }),
  },
  { type: 'S3', field: 'endpoint_url', with: (endpoint_url) => ({ bucket_name: 'lake', ...S3_KEYS, endpoint_url }) },
  {
    type: 'S3Compatible',
    field: 'endpoint_url',
    with: (endpoint_url) => ({ bucket_name: 'lake', ...S3_KEYS, endpoint_url, use_virtual_style_addressing: true }),
  },
  {
    type: 'AzureBlob',
    field: 'connection_string',
    with: (url) => ({ container_name: 'lake', connection_string: azure(url) }),
  },
  {
    type: 'GCS',
    field: 'service_account_key',
    with: (url) => ({ bucket_name: 'lake', service_account_key: keyFor(url) }),
  },
  {
    type: 'GCS',
    field: 'endpoint_url',
    with: (endpoint_url) => ({
      bucket_name: 'lake',
      service_account_key: keyFor(`${listedUrl()}/token`),
      endpoint_url,
    }),
  },
  { type: 'Iceberg', field: 'catalog_uri', with: (catalog_uri) => ({ ...ICEBERG, catalog_uri }) },
  {
    type: 'Iceberg',
    field: 'oauth2_server_uri',
    with: (oauth2_server_uri) => ({
      ...ICEBERG,
      catalog_uri: listedUrl(),
      credential: 'id:secret',
      oauth2_server_uri,
    }),
  },
  { type: 'HTTP', field: 'url', with: (url) => ({ url, token: 't' }) },
];
/** Reached only after a catalog has answered, by the client of the S3 types. */
const ICEBERG_STORE: Field = {
  type: 'Iceberg',
  field: 'endpoint_url',
  with: (endpoint_url) => ({ ...ICEBERG, catalog_uri: listedUrl(), endpoint_url }),
};

/** Regions become parts of host names. */
const REGIONS = [
  '127.0.0.1:80/#',
  'x@127.0.0.1',
  'us-east-1.example.com',
  'us-east-1/',
  'us-east-1?',
  '[::1]',
  'us\\east',
  'us-east-1\n',
  '..',
  'ａ',
];

const URLS: readonly Way[] = URL_WAYS.map((host) => ({ name: `the URL ${JSON.stringify(host)}`, host }));

/** The text of a field for a way: a host becomes a URL, a URL gets its port. */
const textOf = ({ host }: Way, isUrl: boolean) => (isUrl ? host.replace('PORT', '8443') : `https://${host}:8443`);

function configOf({ type, with: configWith }: Field, text: string): Record<string, unknown> {
  const destination = destinationOf(type, CLOSED);
  const harmless = validateConfig(destination, configWith('https://example.com'));
  const derived = type === 'AzureBlob' ? { blob_endpoint: text } : {};
  return { ...harmless, ...configWith(text), ...derived };
}

/** Some texts are refused when saved although a URL parser reads a public address, as `010.0.0.1` is 8.0.0.1, and `0127.0.0.1` is 87.0.0.1. */
const leadsOutside = (text: string) => URL.canParse(text) && /^87?\./.test(new URL(text).hostname);

async function save(field: Field, text: string): Promise<void> {
  const destination = destinationOf(field.type, CLOSED);
  await destination.validate(validateConfig(destination, field.with(text)), CLOSED);
}

const stepContext = () => ({
  projectId: 7,
  model: 'events' as const,
  columns: [],
  merge: null,
  environment: CLOSED,
  signal: AbortSignal.timeout(10_000),
});

async function eachAtOnce<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

describe(`the ways to a private address (SLUICE_EGRESS_SEED=${seed})`, () => {
  const ways = waysByHost();
  let server: http.Server;
  let attempts: string[];
  let endNames: () => void;
  let endRecording: () => void;
  let isSaved: boolean;
  const tried = new Map<string, number>();

  const byName = new Map(ways.filter(({ saved }) => saved).map((way) => [way.host, way]));

  before(async () => {
    keyWithPlaceholder = serviceAccountKey('https://example.com/token');
    server = http.createServer((request, response) => answer(request, response));
    listedPort = await listen(server);
    endNames = answerNames((name) => {
      if (name === LISTED) return ['127.0.0.1'];
      // A bucket or an account comes before the host.
      const way = byName.get(name) ?? byName.get(name.replace(/^[^.]+\./, ''));
      return way ? (isSaved ? way.saved : way.later) : ['127.0.0.1'];
    });
    ({ attempts, end: endRecording } = recordAttempts());
  });
  after(() => {
    endRecording();
    endNames();
    server.close();
    server.closeAllConnections();
  });
  beforeEach(() => {
    isSaved = false;
    attempts.length = 0;
    answer = (_request, response) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end('{"access_token":"t","token_type":"Bearer","expires_in":3600}');
  });
  afterEach(() => {
    assert.deepEqual(
      attempts.filter((attempt) => attempt !== `127.0.0.1 ${listedPort}`),
      [],
    );
  });

  const count = (stage: string) => tried.set(stage, (tried.get(stage) ?? 0) + 1);

  async function tryAtTestAndRun(destination: Destination, config: unknown, name: string): Promise<void> {
    for (const { run } of destination.steps) {
      const outcome = await run(config, stepContext()).then(
        (result) => (result && 'skipped' in result ? undefined : 'passed'),
        () => undefined,
      );
      assert.equal(outcome, undefined, name);
    }
    count('test');
    await assert.rejects(
      testInterval({ destination, config, environment: CLOSED }).deliver([buildRows(1)]),
      (error) => !(error instanceof assert.AssertionError),
      name,
    );
    count('run');
  }

  it('are more than two hundred', () => {
    const names = new Set([...ways, ...URLS].map(({ name }) => name));
    assert.equal(names.size, ways.length + URLS.length);
    assert.ok(names.size >= 200, String(names.size));
  });

  it('are refused when saved, in every field', async () => {
    isSaved = true;
    for (const field of [...FIELDS, ICEBERG_STORE]) {
      for (const isUrl of [false, true]) {
        // A host that is public when it is saved is refused later.
        const refused = (isUrl ? URLS : ways).filter(({ saved }) => !saved?.includes(PUBLIC_ADDRESS));
        for (const way of refused) {
          await assert.rejects(
            save(field, textOf(way, isUrl)),
            InvalidInput,
            `${field.type}.${field.field}: ${way.name}`,
          );
          count('save');
        }
      }
    }
    for (const type of ['S3', 'AwsS3', 'S3Compatible', 'Iceberg']) {
      const field = [...FIELDS].find((one) => one.type === (type === 'AwsS3' ? 'S3' : type))!;
      for (const region of REGIONS) {
        const { endpoint_url, ...config } = { endpoint_url: '', ...field.with('https://example.com'), region };
        const given = type === 'S3Compatible' ? { ...config, endpoint_url } : config;
        const destination = destinationOf(type, CLOSED);
        await assert.rejects(
          (async () => destination.validate(validateConfig(destination, given), CLOSED))(),
          InvalidInput,
          `${type}.region: ${region}`,
        );
        count('save');
      }
    }
    for (const way of [...ways.filter(({ saved }) => !saved?.includes(PUBLIC_ADDRESS)), ...URLS])
      await assert.rejects(
        checkUrl(textOf(way, URLS.includes(way)), hostRules([])),
        { code: 'HOST_REFUSED' },
        way.name,
      );
  });

  it('open no connection at a test or in a run, as if they had been saved', async () => {
    const shuffled = seeded(seed).shuffled([...ways, ...URLS]);
    // Each in one field, to save time; the seed chooses which.
    const pairs = shuffled.map((way, index) => ({ way, field: FIELDS[index % FIELDS.length]! }));
    await eachAtOnce(pairs, async ({ way, field }) => {
      const text = textOf(way, URLS.includes(way));
      if (leadsOutside(text)) return;
      await tryAtTestAndRun(
        destinationOf(field.type, CLOSED),
        configOf(field, text),
        `${field.type}.${field.field}: ${way.name}`,
      );
    });
  });

  it('open no connection for a webhook', async () => {
    await eachAtOnce(ways, async (way) => {
      const text = textOf(way, false);
      if (!URL.canParse(text) || leadsOutside(text)) return;
      const request = {
        url: new URL(text),
        headers: {},
        body: '',
        timeoutMs: 5_000,
        signal: new AbortController().signal,
      };
      await assert.rejects(post({ ...request, rules: hostRules([]) }), way.name);
      count('webhook');
    });
  });

  it('are not taken where a server redirects to them', async () => {
    const targets = ['http://127.0.0.1:8443/', 'http://169.254.169.254/latest/meta-data/', 'https://[::1]:8443/'];
    const redirects = [301, 302, 303, 307, 308].flatMap((status) => targets.map((target) => ({ status, target })));
    for (const { status, target } of redirects) {
      answer = (_request, response) => response.writeHead(status, { location: target, connection: 'close' }).end();
      await eachAtOnce(
        FIELDS.filter(({ type }) => type !== 'Postgres'),
        async (field) => {
          const config = configOf(field, field.field === 'service_account_key' ? `${listedUrl()}/token` : listedUrl());
          await assert.rejects(
            async () => destinationOf(field.type, CLOSED).steps[0]!.run(config, stepContext()),
            `${field.type}.${field.field}: ${status} to ${target}`,
          );
          count('redirect');
        },
      );
    }
    assert.ok(attempts.length > 0);
  });

  it('are not taken by proxies of the environment', async () => {
    const names = [
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
      'AWS_ENDPOINT_URL',
      'AWS_ENDPOINT_URL_S3',
    ];
    const both = names.flatMap((name) => [name, name.toLowerCase()]);
    const before = both.map((name) => process.env[name]);
    for (const name of both) process.env[name] = name.includes('USE') ? '1' : 'http://127.0.0.1:8443';
    try {
      await eachAtOnce(FIELDS, async (field) => {
        const config = configOf(field, listedUrl());
        await destinationOf(field.type, CLOSED)
          .steps[0]!.run(config, stepContext())
          .catch(() => {});
        count('proxy');
      });
    } finally {
      both.forEach((name, index) => {
        if (before[index] === undefined) delete process.env[name];
        else process.env[name] = before[index];
      });
    }
  });

  it('would be seen: a listed host is connected to, by every type', async () => {
    for (const field of FIELDS) {
      attempts.length = 0;
      const url = field.type === 'Postgres' ? `https://${LISTED}` : listedUrl();
      const change = field.type === 'Postgres' ? { port: listedPort } : { use_virtual_style_addressing: false };
      const config = { ...configOf(field, url), ...change };
      answer = (_request, response) => response.writeHead(400, { connection: 'close' }).end();
      await destinationOf(field.type, CLOSED)
        .steps[0]!.run(config, stepContext())
        .catch(() => {});
      assert.ok(attempts.includes(`127.0.0.1 ${listedPort}`), `${field.type}.${field.field}`);
    }
  });

  after(() => console.log(`      tried: ${[...tried].map(([stage, times]) => `${times} at ${stage}`).join(', ')}`));
});
