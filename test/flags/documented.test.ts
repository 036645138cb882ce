/** The commands of docs/feature-flags.md about experiments and encrypted payloads, run as they stand there, with the README's `field`. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { startFlagsApi, type FlagsApi } from '../support/api/flags-api.ts';

const textOf = (page: string) => readFileSync(new URL(`../../${page}`, import.meta.url), 'utf8');
const FIELD = /^field\(\) \{\n.*?^\}\n/ms.exec(textOf('README.md'))![0];

/** The commands below one heading, from top to bottom. */
function commandsOf(heading: string): string {
  const section = textOf('docs/feature-flags.md').split(`${heading}\n`)[1]!.split(/^##/m)[0]!;
  return [...section.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block]) => block).join('\n');
}

describe('the documented commands', () => {
  let api: FlagsApi;

  /** @returns what a shell prints; it has the variables of the README's tour */
  async function outputOf(commands: string): Promise<string> {
    const tour = [
      `auth='Authorization: Bearer ${api.key}'`,
      `api='${api.sluice.url}/api/environments/${api.ours.projectId}'`,
      FIELD,
    ];
    const { stdout, stderr } = await promisify(execFile)('sh', ['-c', [...tour, commands].join('\n')]);
    assert.equal(stderr, '');
    return stdout;
  }

  before(async () => {
    api = await startFlagsApi();
  });
  after(() => api.stop());

  it('launch and end an experiment', async () => {
    assert.equal(await outputOf(commandsOf('## Experiments')), 'running\nstopped\n');
  });

  it('set an encrypted payload and read it', async () => {
    const payload = JSON.stringify(JSON.stringify({ password: 'the second' }));
    const shown = await outputOf(commandsOf('### Encrypted payloads'));
    assert.equal(shown, `"********* (encrypted)"\n${payload}\n`);
  });
});
