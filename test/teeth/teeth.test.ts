/** The list of teeth and the marks in the sources belong together; `npm run test:teeth` then tries them. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { TEETH } from './list.ts';
import { disagreements, findMarkers, markersOf, withoutTooth } from './markers.ts';
import type { Tooth } from './tooth.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const tooth: Tooth = { name: 'fence', guards: 'something', tests: [] };

function without(text: string, replace?: Tooth['replace']): string {
  return withoutTooth(text, markersOf('x.ts', text)[0]!, { ...tooth, ...(replace && { replace }) });
}

describe('teeth', () => {
  it('are listed once, and marked once in the sources', () => {
    assert.deepEqual(disagreements(TEETH, findMarkers(ROOT)), []);
  });

  it('can be taken away', () => {
    const markers = new Map(findMarkers(ROOT).map((marker) => [marker.name, marker]));
    for (const tooth of TEETH) {
      const marker = markers.get(tooth.name)!;
      const text = readFileSync(path.join(ROOT, marker.file), 'utf8');
      assert.notEqual(withoutTooth(text, marker, tooth), text, tooth.name);
    }
  });

  it('name test files that exist', () => {
    const missing = TEETH.flatMap(({ tests }) => tests).filter((file) => !existsSync(path.join(ROOT, file)));
    assert.deepEqual(missing, []);
    assert.deepEqual(
      TEETH.filter(({ tests }) => tests.length === 0),
      [],
    );
  });

  describe('a tooth', () => {
    it('is the statement after its marker', () => {
      assert.equal(
        without('a();\n// tooth: fence\nif (late) {\n  throw b;\n}\nc();\n'),
        'a();\n// tooth: fence\n;\nc();\n',
      );
    });

    it('may have other comments around its marker', () => {
      assert.equal(
        without('f(() => {\n  // why\n  // tooth: fence\n  // more\n  a();\n});\n'),
        'f(() => {\n  // why\n  // tooth: fence\n  // more\n  ;\n});\n',
      );
    });

    it('may be a part of the statement', () => {
      assert.equal(
        without('// tooth: fence\nconst a = b <= c && b <= d;\nb <= c;\n', ['b <= c', 'true']),
        '// tooth: fence\nconst a = true && b <= d;\nb <= c;\n',
      );
    });

    it('must be there, must change something, and must leave a program', () => {
      assert.throws(() => without('{ a();\n// tooth: fence\n}\nb();\n'), /no statement follows/);
      assert.throws(() => without('// tooth: fence\na();\nb();\n', ['b', 'c']), /no “b” to replace/);
      assert.throws(() => without('// tooth: fence\na();\n', ['a', 'a']), /no “a” to replace/);
      assert.throws(() => without('// tooth: fence\na();\n', ['(', '']), /does not parse/);
      assert.throws(() => without('f({\n// tooth: fence\na: 1 });\n'), /only a statement/);
    });
  });

  describe('the list', () => {
    it('and the marks disagree where one lacks the other, or has it twice', () => {
      const at = { file: 'x.ts', at: 0 };
      const marks = ['fence', 'lock', 'lock'].map((name) => ({ ...at, name }));
      assert.deepEqual(disagreements([tooth, tooth, { ...tooth, name: 'sort' }], marks), [
        'fence: listed twice',
        'lock: marked twice',
        'sort: listed, and marked nowhere',
        'lock: marked in x.ts, not listed',
        'lock: marked in x.ts, not listed',
      ]);
      assert.deepEqual(disagreements([tooth], [{ ...at, name: 'fence' }]), []);
    });
  });
});
