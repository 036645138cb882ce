/** For every code of the file system: whether the same delivery would meet it for ever. */
import assert from 'node:assert/strict';
import { consequenceOf, translate } from '../../../src/exports/destinations/local-file/errors.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';

const CODES: [code: string, meaning: string, consequence: 'final' | 'passes'][] = [
  ['EACCES', 'rights that come last in a restore', 'passes'],
  ['EPERM', 'operation not permitted: an immutable or foreign folder', 'passes'],
  ['EROFS', 'a volume that is mounted read-only after an error', 'passes'],
  ['ENOSPC', 'disk full', 'passes'],
  ['EDQUOT', 'quota of the file system', 'passes'],
  ['EIO', 'input or output error', 'passes'],
  ['ENOENT', 'a volume that is not mounted', 'passes'],
  ['ESTALE', 'network files whose server was restored', 'passes'],
  ['ETIMEDOUT', 'network files whose server is silent', 'passes'],
  ['ENOTCONN', 'network files whose client has ended', 'passes'],
  ['ENODEV', 'a device that is gone', 'passes'],
  ['EMFILE', 'too many open files', 'passes'],
  ['EBUSY', 'in use', 'passes'],
  ['EEXIST', 'a file where the root should be', 'passes'],
  ['ENOTDIR', 'a file where a folder is wanted', 'final'],
  ['EISDIR', 'a folder where a file is wanted', 'final'],
  ['ELOOP', 'a link where none may be', 'final'],
  ['ENAMETOOLONG', 'a name that is too long', 'final'],
];

describe('an error of the file system', () => {
  for (const [code, meaning, consequence] of CODES) {
    it(`${code} (${meaning}) ${consequence === 'final' ? 'is final' : 'passes'}`, () => {
      const error = Object.assign(new Error(`${code}: no, open '/secret/place'`), { code });
      const type = consequence === 'final' ? DestinationRejected : DestinationUnavailable;
      assert.throws(
        () => translate(error),
        (thrown: Error) => thrown instanceof type && !thrown.message.includes('secret'),
      );
      assert.match(consequenceOf(code)?.advice ?? '', /^[A-Z].*\.$/);
    });
  }

  it('that is not known is passed on', () => {
    const error = Object.assign(new Error('no'), { code: 'EWHAT' });
    assert.throws(
      () => translate(error),
      (thrown) => thrown === error,
    );
  });
});
