/** Faults of tables, met on a real server. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates, TLSSocket } from 'node:tls';
import { createClient } from '../../../src/platform/db/connection.ts';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { checkTables, tableNames } from '../../../src/exports/destinations/postgres/tables.ts';
import { translate } from '../../../src/exports/destinations/postgres/errors.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildRows, COLUMNS, testInterval } from '../../support/exports/deliveries.ts';
import { faultIn } from '../../support/exports/provoked-faults.ts';
import { startBreakingProxy } from '../../support/servers/faulty-proxy.ts';
import { selfSignedCertificate } from '../../support/servers/certificate.ts';
import { LOOPBACK_ENVIRONMENT } from '../../support/exports/test-place.ts';

const destination = destinationOf('Postgres', LOOPBACK_ENVIRONMENT);

describe('a fault of Postgres', () => {
  let database: TestDatabase;
  let client: ReturnType<typeof createClient>;
  let config: Record<string, unknown>;
  let schema: string;
  let role: string;

  before(async () => {
    database = await createEmptyDatabase();
    client = createClient({ url: database.url, applicationName: 'test' });
    await client.connect();
  });
  after(async () => {
    await client.end();
    await database.drop();
  });
  beforeEach(async () => {
    const name = randomBytes(5).toString('hex');
    [schema, role] = [`s_${name}`, `r_${name}`];
    await client.query(`create schema ${schema}; create role ${role} login password 'canary-of-a-role'`);
    const { hostname, port, username, password, pathname } = new URL(database.url);
    config = {
      host: hostname,
      port: Number(port),
      user: username,
      password: decodeURIComponent(password),
      database: pathname.slice(1),
      schema,
      table_name: 'events',
      has_self_signed_cert: false,
    };
  });
  afterEach(() => client.query(`drop schema if exists ${schema} cascade; drop owned by ${role}; drop role ${role}`));

  const deliver = (change: object = {}, environment = LOOPBACK_ENVIRONMENT) =>
    testInterval({ destination, config: { ...config, ...change }, environment }).deliver([buildRows(2)]);
  const codeOf = async (change: object = {}, environment = LOOPBACK_ENVIRONMENT) =>
    (await faultIn('Postgres', deliver(change, environment))).code;
  const asRole = () => ({ user: role, password: 'canary-of-a-role' });

  /** Answers that it has TLS, and then with the certificate, or with something that is no TLS. */
  async function codeBehind(tls: { key: string; cert: string } | undefined): Promise<string> {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.pause();
        socket.write('S');
        if (tls) new TLSSocket(socket, { isServer: true, ...tls }).on('error', () => {}).resume();
        else socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).resume();
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      return await codeOf({ port: (server.address() as AddressInfo).port });
    } finally {
      server.close();
    }
  }

  /** The statement of a trigger on the table, which runs in the statement that delivers. */
  async function codeWith(statement: string): Promise<string> {
    await client.query(`
      create table ${schema}.events (uuid uuid, event text, properties jsonb, _sluice_export uuid, _sluice_interval_time timestamptz);
      create function ${schema}.act() returns trigger language plpgsql as $act$ begin ${statement}; return new; end $act$;
      create trigger act before insert on ${schema}.events for each row execute function ${schema}.act()`);
    return codeOf();
  }

  describe('of the way in', () => {
    for (const [name, change, code] of [
      ['a wrong password', { password: 'canary' }, 'wrong_password'],
      ['a database that does not exist', { database: 'canary' }, 'database_not_found'],
      ['a schema that does not exist', { schema: 'nowhere' }, 'schema_not_found'],
      ['a closed port', { port: 1 }, 'connection_refused'],
    ] as const) {
      it(`is reported for ${name}`, async () => assert.equal(await codeOf(change), code));
    }

    it('is reported for a host that the operator does not list', async () => {
      assert.equal(await codeOf({}, { localRoot: undefined, allowedHosts: [] }), 'host_not_allowed');
    });

    it('is reported for a role that may not log in, has no connection left, or may only read', async () => {
      await client.query(`grant all on schema ${schema} to ${role}; alter role ${role} nologin`);
      assert.equal(await codeOf(asRole()), 'login_refused');
      await client.query(`alter role ${role} login connection limit 0`);
      assert.equal(await codeOf(asRole()), 'too_many_connections');
      await client.query(
        `alter role ${role} connection limit -1; alter role ${role} set default_transaction_read_only = on`,
      );
      assert.equal(await codeOf(asRole()), 'server_read_only');
    });

    it('is reported for a role without rights', async () => {
      assert.equal(await codeOf(asRole()), 'privilege_missing');
    });

    for (const [moment, word] of [
      ['before it is encrypted', ''],
      ['in a statement', 'pg_namespace'],
    ] as const) {
      it(`is reported for a connection that breaks ${moment}`, async () => {
        const server = { host: String(config['host']), port: Number(config['port']) };
        const proxy = await startBreakingProxy(server, (sent) => (sent.includes(word) ? 'before' : undefined));
        try {
          assert.equal(await codeOf({ port: proxy.port }), 'connection_lost');
        } finally {
          proxy.close();
        }
      });
    }
  });

  describe('of the certificate', () => {
    const TRUSTED = getCACertificates('default');
    afterEach(() => setDefaultCACertificates(TRUSTED));

    it('is reported for a self-signed one', async () => {
      assert.equal(await codeBehind(selfSignedCertificate('db.example.com')), 'certificate_untrusted');
    });

    it('is reported for one that has expired', async () => {
      const expired = selfSignedCertificate('db.example.com', { until: 21 });
      setDefaultCACertificates([...TRUSTED, expired.cert]);
      assert.equal(await codeBehind(expired), 'certificate_expired');
    });

    it('is reported for one of another host', async () => {
      const other = selfSignedCertificate('db.example.com', { address: Buffer.from([127, 0, 0, 9]) });
      setDefaultCACertificates([...TRUSTED, other.cert]);
      assert.equal(await codeBehind(other), 'certificate_wrong_host');
    });

    it('is reported for an answer that is no TLS', async () => {
      assert.equal(await codeBehind(undefined), 'tls_failed');
    });
  });

  describe('of the table', () => {
    const OURS = '_sluice_export uuid, _sluice_interval_time timestamptz';
    for (const [name, sql, code] of [
      ['a view in its place', 'create view :t as select 1 as one', 'not_a_table'],
      ['a column that it lacks', `create table :t (uuid uuid, event text, ${OURS})`, 'column_missing'],
      [
        'our column with another type',
        'create table :t (uuid uuid, event text, properties jsonb, _sluice_export text, _sluice_interval_time date)',
        'column_type_mismatch',
      ],
      [
        'a column that takes no such type',
        `create table :t (uuid uuid, event int, properties jsonb, ${OURS})`,
        'column_type_mismatch',
      ],
      [
        'a column that is too short',
        `create table :t (uuid uuid, event varchar(2), properties jsonb, ${OURS})`,
        'value_too_long',
      ],
      [
        'a column of its own that must not be empty',
        `create table :t (uuid uuid, event text, properties jsonb, ${OURS}, theirs int not null)`,
        'constraint_violated',
      ],
    ] as const) {
      it(`is reported for ${name}`, async () => {
        await client.query(sql.replace(':t', `${schema}.events`));
        assert.equal(await codeOf(), code);
      });
    }

    it('is reported for one without the key of rows that have versions', async () => {
      await client.query(`create table ${schema}.events (uuid uuid, event text, properties jsonb, ${OURS})`);
      const merge = { key: ['uuid'], version: 'event' } as never;
      const check = checkTables(client, tableNames(schema, 'events'), { columns: COLUMNS, merge });
      assert.equal((await faultIn('Postgres', check)).code, 'unique_key_missing');
    });

    it('is reported for one that is gone', async () => {
      const query = client.query(`select from ${schema}.nothing`).catch(translate);
      assert.equal((await faultIn('Postgres', query)).code, 'table_missing');
    });
  });

  describe('of the server, in the middle of a delivery', () => {
    for (const [name, statement, code] of [
      [
        'a statement that is cancelled',
        'perform pg_cancel_backend(pg_backend_pid()), pg_sleep(5)',
        'statement_timeout',
      ],
      [
        'a server that ends the session',
        'perform pg_terminate_backend(pg_backend_pid()), pg_sleep(5)',
        'server_stopping',
      ],
      ['a trigger that raises', `raise exception 'canary'`, 'trigger_failed'],
      ['a division by zero', 'perform 1 / 0', 'value_refused'],
    ] as const) {
      it(`is reported for ${name}`, async () => assert.equal(await codeWith(statement), code));
    }

    // States that a test cannot bring a whole server into, by the same way over the wire.
    for (const [state, code] of Object.entries({
      '0A000': 'feature_unsupported',
      21000: 'row_found_twice',
      '25P04': 'transaction_timeout',
      '40P01': 'deadlock',
      44000: 'view_check_violated',
      53100: 'disk_full',
      53200: 'out_of_memory',
      54000: 'server_limit_exceeded',
      '55P03': 'lock_timeout',
      58030: 'server_failing',
      55000: 'server_unavailable',
    })) {
      it(`is reported for the SQLSTATE ${state}: ${code}`, async () => {
        assert.equal(await codeWith(`raise exception 'canary' using errcode = '${state}'`), code);
      });
    }
  });
});
