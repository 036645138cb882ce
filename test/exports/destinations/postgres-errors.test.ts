/** For every class of SQLSTATE: whether the same rows would be refused for ever. */
import assert from 'node:assert/strict';
import { consequenceOf } from '../../../src/exports/destinations/postgres/errors.ts';

/** Classes of Appendix A of the manual of PostgreSQL 18, without those that are no errors, and single states that differ from their class. */
const STATES: [state: string, meaning: string, consequence: 'final' | 'passes'][] = [
  ['03000', 'statement not yet complete', 'passes'],
  ['08006', 'connection failure', 'passes'],
  ['08P01', 'protocol violation, also a pooler that restarts', 'passes'],
  ['09000', 'triggered action exception', 'passes'],
  ['0A000', 'feature not supported', 'final'],
  ['0B000', 'invalid transaction initiation', 'passes'],
  ['0F000', 'locator exception', 'passes'],
  ['0L000', 'invalid grantor', 'passes'],
  ['0P000', 'invalid role specification, as in a restore', 'passes'],
  ['0Z000', 'diagnostics exception', 'passes'],
  ['10608', 'invalid argument for XQuery', 'passes'],
  ['20000', 'case not found', 'passes'],
  ['21000', 'cardinality violation', 'final'],
  ['22003', 'numeric value out of range', 'final'],
  ['22001', 'string too long', 'final'],
  ['22021', 'character not in repertoire', 'final'],
  ['23502', 'not null violation', 'final'],
  ['23505', 'unique violation', 'final'],
  ['23514', 'check violation', 'final'],
  ['24000', 'invalid cursor state', 'passes'],
  ['25006', 'read-only transaction: a standby, or a server in maintenance', 'passes'],
  ['25P03', 'idle in transaction timeout', 'passes'],
  ['25P04', 'transaction timeout', 'passes'],
  ['26000', 'invalid statement name', 'passes'],
  ['27000', 'triggered data change violation', 'passes'],
  ['28000', 'invalid authorization: pg_hba.conf, a role that may not log in', 'passes'],
  ['28P01', 'invalid password', 'passes'],
  ['2B000', 'dependent privilege descriptors', 'passes'],
  ['2D000', 'invalid transaction termination', 'passes'],
  ['2F000', 'SQL routine exception', 'passes'],
  ['34000', 'invalid cursor name', 'passes'],
  ['38000', 'external routine exception', 'passes'],
  ['39000', 'external routine invocation exception', 'passes'],
  ['3B000', 'savepoint exception', 'passes'],
  ['3D000', 'database does not exist, as in a restore', 'passes'],
  ['3F000', 'schema does not exist, as in a restore', 'passes'],
  ['40001', 'serialization failure', 'passes'],
  ['40P01', 'deadlock', 'passes'],
  ['42501', 'insufficient privilege: grants come last in a restore', 'passes'],
  ['42601', 'syntax error', 'final'],
  ['42703', 'undefined column', 'final'],
  ['42804', 'datatype mismatch', 'final'],
  ['42883', 'undefined function', 'final'],
  ['42P01', 'undefined table', 'passes'],
  ['44000', 'check option violation', 'final'],
  ['53100', 'disk full', 'passes'],
  ['53200', 'out of memory', 'passes'],
  ['53300', 'too many connections', 'passes'],
  ['54000', 'program limit exceeded', 'final'],
  ['54011', 'too many columns', 'final'],
  ['55000', 'not in prerequisite state: a database that takes no connections', 'passes'],
  ['55006', 'object in use', 'passes'],
  ['55P03', 'lock not available', 'passes'],
  ['57014', 'query cancelled', 'passes'],
  ['57P01', 'admin shutdown', 'passes'],
  ['57P02', 'crash shutdown', 'passes'],
  ['57P03', 'cannot connect now', 'passes'],
  ['57P04', 'database dropped', 'passes'],
  ['57P05', 'idle session timeout', 'passes'],
  ['58000', 'system error', 'passes'],
  ['58030', 'I/O error', 'passes'],
  ['58P01', 'undefined file', 'passes'],
  ['72000', 'snapshot too old', 'passes'],
  ['F0000', 'configuration file error', 'passes'],
  ['HV000', 'foreign data wrapper error', 'passes'],
  ['P0001', 'raised by a trigger', 'passes'],
  ['XX000', 'internal error', 'passes'],
  ['XX001', 'data corrupted', 'passes'],
];

describe('a SQLSTATE', () => {
  for (const [state, meaning, consequence] of STATES) {
    it(`${state} (${meaning}) ${consequence === 'final' ? 'is final' : 'passes'}`, () => {
      const { final, advice } = consequenceOf(state);
      assert.equal(final ? 'final' : 'passes', consequence);
      assert.match(advice, /^[A-Z].*\.$/);
    });
  }

  it('of a failover, a rotation or a restore explains what to do when it stays', () => {
    assert.match(consequenceOf('25006').advice, /read-only/);
    assert.match(consequenceOf('28P01').advice, /user or the password/);
    assert.match(consequenceOf('3D000').advice, /database does not exist/);
    assert.match(consequenceOf('42501').advice, /Needed: CREATE and USAGE/);
  });
});
