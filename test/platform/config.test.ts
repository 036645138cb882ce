import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Environment, environmentWith, readConfig, requireVariable } from '../../src/platform/config.ts';
import { CommandFailed } from '../../src/platform/errors.ts';

const EXAMPLE = readFileSync(new URL('../../.env.example', import.meta.url), 'utf8');
const [header, ...described] = EXAMPLE.trimEnd().split('\n\n');

type Variable = { default?: string | number; description: string; enum?: string[] };

/** The text of `.env.example` about a variable, its lines joined. */
function paragraph(name: string, { default: fallback = '', description, enum: values }: Variable): string {
  const choice = values ? ` One of: ${values.join(', ')}.` : '';
  return `# ${description}${choice}\n${name}=${fallback}`;
}

const assertRefused = (environment: Record<string, string>, message: RegExp) =>
  assert.throws(
    () => readConfig(environment),
    (error: Error) => error instanceof CommandFailed && message.test(error.message),
  );

describe('the configuration', () => {
  it('is described in .env.example, variable by variable', () => {
    assert.match(header ?? '', /^# Every variable/);
    const expected = Object.entries<unknown>(Environment.properties).map(([name, schema]) =>
      paragraph(name, schema as Variable),
    );
    assert.deepEqual(
      described.map((text) => text.replaceAll('\n# ', ' ')),
      expected,
    );
  });

  it('takes .env.example as it stands', () => {
    const lines = EXAMPLE.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    const environment = Object.fromEntries(lines.map((line) => line.split('=', 2) as [string, string]));
    assert.deepEqual(readConfig(environment), readConfig({}));
  });

  it('names every variable that is wrong at once', () => {
    assertRefused(
      { SLUICE_PORT: 'eight', DATABASE_URL: 'mysql://x' },
      /(?=.*SLUICE_PORT must be integer)(?=.*DATABASE_URL must)/,
    );
    assertRefused({ SLUICE_PORT: '70000' }, /SLUICE_PORT must be <= 65535/);
    assertRefused({ LOG_LEVEL: 'loud' }, /LOG_LEVEL must be equal to one of/);
  });

  it('reads a variable from the file that its NAME_FILE names', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-config-'));
    try {
      const file = path.join(folder, 'url');
      writeFileSync(file, 'postgres://sluice:secret@db/sluice\n');
      assert.equal(readConfig({ DATABASE_URL_FILE: file }).DATABASE_URL, 'postgres://sluice:secret@db/sluice');
      assertRefused(
        { DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db/x' },
        /^DATABASE_URL and DATABASE_URL_FILE /,
      );
      assertRefused({ DATABASE_URL_FILE: path.join(folder, 'none') }, /^DATABASE_URL_FILE names .*ENOENT/);
      writeFileSync(file, 'secret');
      assertRefused({ DATABASE_URL_FILE: file }, /^(?!.*secret).*DATABASE_URL must/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('of a child process has no file beside a variable that is changed', () => {
    process.env['SLUICE_PORT_FILE'] = '/run/secrets/port';
    try {
      assert.equal(environmentWith({ SLUICE_PORT: '1' })['SLUICE_PORT_FILE'], undefined);
      assert.equal(environmentWith({ SLUICE_HOST: 'x' })['SLUICE_PORT_FILE'], '/run/secrets/port');
    } finally {
      delete process.env['SLUICE_PORT_FILE'];
    }
  });

  it('refuses addresses that are none of the web', () => {
    for (const name of ['SLUICE_PUBLIC_URL', 'TEMPORAL_UI_URL'])
      for (const text of ['javascript:alert(1)', 'example.com', 'https://'])
        assertRefused({ [name]: text }, new RegExp(`${name} must match`));
  });

  it('explains what a missing variable is for', () => {
    assert.throws(
      () => requireVariable(readConfig({}), 'DATABASE_URL'),
      (error: Error) =>
        error instanceof CommandFailed && error.message.startsWith('DATABASE_URL is not set. Postgres 15'),
    );
  });
});
