/** For every code of the file system that is translated: whether the same delivery would always fail with it. */
import assert from 'node:assert/strict';
import type { KnownFault } from '../../../src/exports/destinations/faults.ts';
import { consequenceOf, translate } from '../../../src/exports/destinations/local-file/errors.ts';
import { LOCAL_FILE_FAULTS } from '../../../src/exports/destinations/local-file/faults.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';

const CODES: [code: string, meaning: string, consequence: 'final' | 'retried'][] = [
  ['EACCES', 'rights that come last in a restore', 'retried'],
  ['EPERM', 'operation not permitted: an immutable or foreign folder', 'retried'],
  ['EROFS', 'a volume that is mounted read-only after an error', 'retried'],
  ['ENOSPC', 'disk full', 'retried'],
  ['EDQUOT', 'quota of the file system', 'retried'],
  ['EIO', 'input or output error', 'retried'],
  ['ENOENT', 'a volume that is not mounted', 'retried'],
  ['ESTALE', 'network files whose server was restored', 'retried'],
  ['ETIMEDOUT', 'network files whose server is silent', 'retried'],
  ['ENOTCONN', 'network files whose client has ended', 'retried'],
  ['ENODEV', 'a device that was removed', 'retried'],
  ['ENXIO', 'a device that does not answer', 'retried'],
  ['EMFILE', 'too many open files in the process', 'retried'],
  ['ENFILE', 'too many open files on the machine', 'retried'],
  ['EBUSY', 'in use', 'retried'],
  ['EEXIST', 'a file where the root should be', 'retried'],
  ['ENOTDIR', 'a file where a folder is wanted', 'final'],
  ['EISDIR', 'a folder where a file is wanted', 'final'],
  ['ELOOP', 'a link where none may be', 'final'],
  ['ENAMETOOLONG', 'a name that is too long', 'final'],
];

describe('an error of the file system', () => {
  for (const [code, meaning, consequence] of CODES) {
    it(`${code} (${meaning}) ${consequence === 'final' ? 'is final' : 'retried'}`, () => {
      const error = Object.assign(new Error(`${code}: no, open '/secret/place'`), { code });
      const type = consequence === 'final' ? DestinationRejected : DestinationUnavailable;
      assert.throws(
        () => translate(error),
        (thrown: Error) => thrown instanceof type && !thrown.message.includes('secret'),
      );
      assert.match(consequenceOf(code)?.advice ?? '', /^[A-Z].*\.$/);
    });
  }

  it('has a row above for every code that is translated', () => {
    const translated = Object.values<KnownFault>(LOCAL_FILE_FAULTS).flatMap(({ rawCodes = [] }) => rawCodes);
    assert.deepEqual(new Set(CODES.map(([code]) => code)), new Set<unknown>(translated));
  });

  it('with another code is passed on', () => {
    const error = Object.assign(new Error('no'), { code: 'EWHAT' });
    assert.throws(
      () => translate(error),
      (thrown) => thrown === error,
    );
  });
});
