/** A test step's answer about a forbidden address does not tell what is there: the server never connects to it. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { buildPersonalKey, buildTenant } from '../../support/api/identity.ts';
import { serviceAccountKey } from '../../support/servers/gcs/fake-gcs.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const KEYS = { aws_access_key_id: 'a', aws_secret_access_key: 'b' };
const HOSTS = ['127.0.0.1', 'localhost', '127.0.0.2', '0.0.0.0', '[::1]', '[::ffff:127.0.0.1]', 'ip6-localhost'];
const UNKNOWN = 'no-such-host.invalid';

const SERVICE_ACCOUNT = serviceAccountKey('https://8.8.8.8/token');

const LAKE = { catalog_uri: 'https://8.8.8.8/lake', namespace: 'analytics', region: 'us-east-1', ...KEYS };

/** By what the user types the address into. */
const PLACES: Readonly<Record<string, (host: string, port: number) => object>> = {
  'a database': (host, port) => ({
    destination: { type: 'Postgres', config: { host, port, user: 'u', password: 'p', database: 'd', table_name: 't' } },
  }),
  'a store': (host, port) => ({
    destination: {
      type: 'S3Compatible',
      config: {
        bucket_name: 'files',
        region: 'us-east-1',
        prefix: '',
        endpoint_url: `http://${host}:${port}`,
        ...KEYS,
      },
    },
  }),
  'a container': (host, port) => ({
    destination: {
      type: 'AzureBlob',
      config: {
        container_name: 'files',
        connection_string: `AccountName=lake;AccountKey=YQ==;BlobEndpoint=http://${host}:${port}/lake`,
      },
    },
  }),
  'a store of Google': (host, port) => ({
    destination: {
      type: 'GCS',
      config: {
        bucket_name: 'files',
        service_account_key: SERVICE_ACCOUNT,
        endpoint_url: `http://${host}:${port}`,
      },
    },
  }),
  'a server of access tokens': (host, port) => ({
    destination: {
      type: 'GCS',
      config: {
        bucket_name: 'files',
        service_account_key: SERVICE_ACCOUNT.replace('https://8.8.8.8', `https://${host}:${port}`),
      },
    },
  }),
  'a catalog': (host, port) => ({
    destination: { type: 'Iceberg', config: { ...LAKE, catalog_uri: `http://${host}:${port}/lake` } },
  }),
  'a store of a table': (host, port) => ({
    destination: { type: 'Iceberg', config: { ...LAKE, endpoint_url: `https://${host}:${port}` } },
  }),
  'a store with TLS': (host, port) => ({
    destination: {
      type: 'S3',
      config: {
        bucket_name: 'files',
        region: 'us-east-1',
        prefix: '',
        endpoint_url: `https://${host}:${port}`,
        ...KEYS,
      },
    },
  }),
};

describe('test steps of addresses that may not be used', () => {
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  let connections = 0;
  let sluice: Sluice;
  let address: string;
  let key: string;

  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    sluice = await startSluice();
    const ours = await buildTenant(sluice.db);
    key = await buildPersonalKey(sluice.db, ours, '*');
    address = `${sluice.url}/api/projects/${ours.projectId}/batch_exports/run_test_step_new/`;
  });
  after(async () => {
    server.close();
    await sluice.stop();
  });

  async function answerOf(body: object): Promise<[number, string]> {
    const answer = await fetch(address, {
      method: 'POST',
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'n', interval: 'hour', ...body }),
    });
    return [answer.status, await answer.text()];
  }

  for (const [place, bodyOf] of Object.entries(PLACES)) {
    it(`say the same of ${place} whether something listens or not, and connect to neither`, async () => {
      const { port } = server.address() as AddressInfo;
      const nobody = 20_999;
      for (const host of HOSTS) {
        const [listening, closed] = [await answerOf(bodyOf(host, port)), await answerOf(bodyOf(host, nobody))];
        assert.deepEqual(listening, closed, host);
        assert.equal(listening[0], 400, listening[1]);
        assert.match(listening[1], /This host cannot be used/);
      }
      assert.equal(connections, 0);
    });

    it(`say the same of ${place} whose name is unknown, with both causes and what to do about each`, async () => {
      const answers = await Promise.all([UNKNOWN, '127.0.0.1'].map((host) => answerOf(bodyOf(host, 20_999))));
      assert.deepEqual(answers[0], answers[1]);
      assert.match(answers[0]![1], /name is unknown, .* not public\. Check the spelling\. .* EXPORT_ALLOWED_HOSTS/);
    });
  }
});
