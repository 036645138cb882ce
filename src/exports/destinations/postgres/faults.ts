/** Faults of Postgres, by SQLSTATE and its classes (Appendix A of the Postgres manual). */
import { TLS_REFUSED } from '../../../platform/net/tls-errors.ts';
import { errorMaker, type KnownFault } from '../faults.ts';
import { networkFaults } from '../network-faults.ts';

const LOGIN = 'The user or the password is wrong, or the user may not connect from here.';
const STATEMENT = 'A statement took longer than the server lets it.';

/**
 * Final faults always recur with the same rows, because the table does not fit the rows, or the server does not support a statement. All
 * others may be temporary, as during a failover, a rotation of passwords or a restore.
 */
export const POSTGRES_FAULTS = {
  // Connection and login.
  wrong_password: { owner: 'you', field: 'password', sentence: LOGIN, rawCodes: ['28P01'] },
  login_refused: { owner: 'you', field: 'user', sentence: LOGIN, rawCodes: ['28'] },
  database_not_found: { owner: 'you', field: 'database', sentence: 'The database does not exist.', rawCodes: ['3D'] },
  tls_missing: {
    owner: 'you',
    field: 'host',
    final: true,
    sentence: 'The server does not offer TLS, which is needed for hosts on the public internet.',
  },
  not_postgres: {
    owner: 'you',
    field: 'port',
    final: true,
    sentence: 'Something answers at this port, but it does not speak Postgres. Choose another port.',
  },
  // Schema and tables.
  schema_not_found: { owner: 'you', field: 'schema', sentence: 'The schema does not exist.', rawCodes: ['3F'] },
  privilege_missing: {
    owner: 'you',
    field: 'user',
    sentence: 'The user lacks a privilege. Needed: CREATE and USAGE on the schema, and all rights on the table.',
    rawCodes: ['42501'],
  },
  table_missing: {
    owner: 'you',
    field: 'table_name',
    sentence: 'A table that was there a moment ago is gone.',
    rawCodes: ['42P01'],
  },
  not_a_table: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'It is not a table. Choose another table.',
  },
  column_missing: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A column that the export writes does not exist in the table any more.',
    rawCodes: ['42703'],
  },
  column_type_mismatch: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A column of the table has a type that does not accept the values of the export.',
    rawCodes: ['42804'],
  },
  unique_key_missing: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'The table has no unique key that identifies the versions of a row.',
  },
  table_unsuitable: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'The tables do not have the structure that the export needs.',
    rawCodes: ['42'],
  },
  tables_made_meanwhile: {
    owner: 'destination',
    sentence: 'Another session created the tables at the same time.',
  },
  // Rows.
  value_refused: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A column of the table does not accept a value of the export.',
    rawCodes: ['22'],
  },
  value_too_long: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A value is too long for its column.',
    rawCodes: ['22001'],
  },
  constraint_violated: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A constraint of the table refuses the rows.',
    rawCodes: ['23'],
  },
  row_found_twice: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'Two rows of the delivery have the same values in the table’s unique key.',
    rawCodes: ['21'],
  },
  view_check_violated: {
    owner: 'you',
    field: 'table_name',
    final: true,
    sentence: 'A view’s check refuses the rows.',
    rawCodes: ['44'],
  },
  trigger_failed: { owner: 'you', sentence: 'A trigger of the table raised an error.', rawCodes: ['P0'] },
  // The server.
  feature_unsupported: {
    owner: 'destination',
    final: true,
    sentence: 'The server does not support what is needed.',
    rawCodes: ['0A'],
  },
  server_limit_exceeded: {
    owner: 'destination',
    final: true,
    sentence: 'A limit of the server is exceeded.',
    rawCodes: ['54'],
  },
  server_read_only: {
    owner: 'destination',
    field: 'host',
    sentence: 'The database is read-only, as a standby is.',
    rawCodes: ['25006'],
  },
  disk_full: { owner: 'destination', sentence: 'The server’s disk is full.', rawCodes: ['53100'] },
  out_of_memory: { owner: 'destination', sentence: 'The server has no memory left.', rawCodes: ['53200'] },
  too_many_connections: {
    owner: 'destination',
    sentence: 'The server has too many connections.',
    rawCodes: ['53300'],
  },
  statement_timeout: { owner: 'destination', sentence: `${STATEMENT} It was cancelled.`, rawCodes: ['57014'] },
  transaction_timeout: { owner: 'destination', sentence: STATEMENT, rawCodes: ['25P03', '25P04', '57P05'] },
  lock_timeout: {
    owner: 'destination',
    sentence: 'Another session holds a lock on the table for too long.',
    rawCodes: ['55P03'],
  },
  deadlock: {
    owner: 'destination',
    sentence: 'The delivery and another transaction were in a deadlock.',
    rawCodes: ['40P01', '40001'],
  },
  server_stopping: {
    owner: 'destination',
    sentence: 'The server was stopped or ended the connection.',
    rawCodes: ['57P01', '57P02'],
  },
  server_starting: { owner: 'destination', sentence: 'The server is starting.', rawCodes: ['57P03'] },
  database_dropped: { owner: 'you', field: 'database', sentence: 'The database was dropped.', rawCodes: ['57P04'] },
  server_failing: {
    owner: 'destination',
    sentence: 'The server reported an internal error; see its log.',
    rawCodes: ['58', 'XX', 'F0'],
  },
  server_unavailable: { owner: 'destination', sentence: 'The database cannot do this at the moment.' },
  rows_not_taken: { owner: 'destination', sentence: 'The database took fewer rows than it was sent.' },
  concurrent_runs: { owner: 'sluice', sentence: 'Other runs deliver this data interval at the same time.' },
  ...networkFaults({
    hostField: 'host',
    trustField: 'has_self_signed_cert',
    unreachable: 'The database cannot be reached.',
    untrusted: `${TLS_REFUSED} Set has_self_signed_cert if you trust it all the same.`,
  }),
} as const satisfies Record<string, KnownFault>;

export type PostgresFaultCode = keyof typeof POSTGRES_FAULTS;

export const postgresFault = errorMaker(POSTGRES_FAULTS);
