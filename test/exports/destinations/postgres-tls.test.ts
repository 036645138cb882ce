import assert from 'node:assert/strict';
import { createServer as createHttpServer } from 'node:http';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { openPostgresSocket } from '../../../src/exports/destinations/postgres/socket.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';
import type { HostRules } from '../../../src/platform/net/host-rules.ts';
import { selfSignedCertificate } from '../../support/servers/certificate.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows, testInterval } from '../../support/exports/deliveries.ts';

/** As if 127.0.0.1 were a public address that nobody listed. */
const PUBLIC: HostRules = { lists: () => false, permits: () => true };
const LISTED: HostRules = { lists: () => true, permits: () => true };

const SSL_REQUEST_BYTES = 8;
const certificate = selfSignedCertificate('db.example.com');

const wrongPort = (error: unknown) => {
  assert.ok(error instanceof DestinationRejected);
  assert.deepEqual(error.fault, { code: 'not_postgres', owner: 'you', field: 'destination__config__port' });
  return true;
};

describe('a connection to Postgres', () => {
  let server: Server;
  let answer: string;
  let clear: string[];
  let database: TestDatabase;
  let port: number;

  before(async () => {
    database = await createEmptyDatabase();
    const { hostname, port: upstreamPort } = new URL(database.url);
    // Speaks TLS in front of the test's own server, which has none.
    server = createServer((socket: Socket) => {
      socket.on('error', () => {});
      socket.once('data', (request) => {
        socket.pause();
        assert.equal(request.length, SSL_REQUEST_BYTES);
        socket.write(answer);
        if (answer !== 'S') {
          socket.on('data', (chunk) => clear.push(chunk.toString('latin1')));
          return;
        }
        const encrypted = new TLSSocket(socket, { isServer: true, ...certificate });
        const upstream = connect(Number(upstreamPort), hostname);
        encrypted.on('error', () => upstream.destroy()).on('close', () => upstream.destroy());
        encrypted.pipe(upstream).pipe(encrypted);
      });
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    port = (server.address() as AddressInfo).port;
  });
  after(async () => {
    server.close();
    await database.drop();
  });
  beforeEach(() => {
    clear = [];
  });

  function open(rules: HostRules, at = port) {
    const signal = new AbortController().signal;
    return openPostgresSocket({ host: '127.0.0.1', port: at, rules, trustAnyCertificate: false, signal });
  }

  it('is refused when a host that the operator does not list has no TLS', async () => {
    answer = 'N';
    await assert.rejects(open(PUBLIC), DestinationRejected);
    assert.deepEqual(clear, []);
  });

  it('may be plain where the operator lists the host', async () => {
    answer = 'N';
    (await open(LISTED)).destroy();
  });

  it('is refused when data arrives before encryption starts', async () => {
    answer = 'Shello';
    await assert.rejects(open(LISTED), DestinationRejected);
  });

  it('to a server of something else is refused for its port, whether the operator lists the host or not', async () => {
    const web = createHttpServer();
    await new Promise<void>((listening) => web.listen(0, '127.0.0.1', listening));
    const { port: webPort } = web.address() as AddressInfo;
    try {
      for (const rules of [PUBLIC, LISTED]) await assert.rejects(open(rules, webPort), wrongPort);
    } finally {
      web.close();
    }
    answer = 'SSH-2.0-OpenSSH_10.0\r\n';
    await assert.rejects(open(LISTED), wrongPort);
  });

  it('to a server that has no process left for it may work later', async () => {
    answer = 'Ecould not fork new process for connection: Cannot allocate memory\n\0';
    await assert.rejects(open(PUBLIC), DestinationUnavailable);
  });

  it('with a self-signed certificate needs has_self_signed_cert', async () => {
    answer = 'S';
    const { username, password, pathname } = new URL(database.url);
    const config = {
      host: '127.0.0.1',
      port,
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      schema: 'public',
      table_name: 'events',
    };
    const environment = { localRoot: undefined, allowedHosts: ['127.0.0.1'] };
    const place = { destination: destinationOf('Postgres', environment), environment };

    const suspicious = testInterval({ ...place, config: { ...config, has_self_signed_cert: false } });
    await assert.rejects(suspicious.deliver([buildRows(1)]), /has_self_signed_cert/);
    const trusting = testInterval({ ...place, config: { ...config, has_self_signed_cert: true } });
    const { run, receipt } = await trusting.deliver([buildRows(3)]);
    assert.deepEqual(await run.verify(receipt), []);
  });
});
