/** The systemd units, as `systemd-analyze` reads them. They are not started: systemd does not run where tests do. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { needsProgram, ROOT, unknownVariables, type Program } from '../support/deploy.ts';

const FOLDER = path.join(ROOT, 'deploy/systemd');
const textOf = (name: string) => readFileSync(path.join(FOLDER, name), 'utf8');
const UNITS = readdirSync(FOLDER).filter((name) => name.endsWith('.service'));
/** Of 100; systemd calls a unit without any protection 96. */
const MAX_EXPOSURE = 20;

describe('the systemd units', function () {
  let analyze: Program;
  let folder: string;

  before(async function () {
    analyze = await needsProgram(this, 'systemd-analyze', 'apt-get install systemd');
    folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-units-'));
    // A unit whose program does not exist is refused, so they get the program of this tree.
    for (const name of UNITS) writeFileSync(path.join(folder, name), textOf(name).replaceAll('/opt/sluice/', ROOT));
  });
  after(() => folder && rmSync(folder, { recursive: true }));

  it('are ones that systemd finds nothing wrong with', () => {
    const { status, stdout, stderr } = analyze('verify', ...UNITS.map((name) => path.join(folder, name)));
    assert.deepEqual([status, stdout, stderr], [0, '', '']);
  });

  it('leave processes few rights', () => {
    for (const name of UNITS) {
      const { status, stdout } = analyze(
        'security',
        '--offline=true',
        `--threshold=${MAX_EXPOSURE}`,
        path.join(folder, name),
      );
      assert.equal(status, 0, stdout);
    }
  });

  it('set variables that exist, and take secrets from files that only root can read', () => {
    for (const name of UNITS) {
      const text = textOf(name);
      const set = [...text.matchAll(/^Environment=(\w+)=/gm)].map(([, variable]) => variable!);
      assert.deepEqual(unknownVariables(set), ['NODE_ENV']);
      for (const [, credential] of text.matchAll(/^Environment=\w+_FILE=%d\/(.+)$/gm))
        assert.ok(text.includes(`LoadCredential=${credential}:/etc/sluice/${credential}`), `${name}: ${credential}`);
    }
    const example = [...textOf('sluice.env.example').matchAll(/^(\w+)=/gm)].map(([, variable]) => variable!);
    assert.ok(example.length > 5);
    assert.deepEqual(unknownVariables(example), []);
  });

  it('run every role, after migrations', () => {
    const roles = UNITS.map((name) => /^ExecStart=\S+\/bin\/sluice (\w+)$/m.exec(textOf(name))![1]!).sort();
    assert.deepEqual(roles, ['api', 'migrate', 'worker']);
    for (const name of UNITS.filter((one) => !one.includes('migrate')))
      assert.match(textOf(name), /^After=.*sluice-migrate[^]*^PartOf=sluice-migrate\.service$/m, name);
  });

  it('start in the end, also if the database comes up later than they do', () => {
    for (const name of UNITS) {
      assert.match(textOf(name), /^Restart=(always|on-failure)$/m, name);
      assert.doesNotMatch(textOf(name), /^Requires=/m, name);
    }
    assert.match(textOf('sluice-migrate.service'), /^StartLimitIntervalSec=0$/m);
  });
});
