/** The commands of docs/feature-flags.md about imports, run as they stand there, print what stands there. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { sluice, temporaryFolder, type Folder } from '../../support/flags/flag-import.ts';
import { startFlagsApi, type FlagsApi } from '../../support/api/flags-api.ts';

const PAGE = readFileSync(new URL('../../../docs/feature-flags.md', import.meta.url), 'utf8');
const COMMANDS = [...PAGE.matchAll(/^bin\/sluice (flags import examples\/.*)$/gm)].map(([, words = '']) =>
  words.split(' '),
);
const PRINTED = /<!-- import -->\n```text\n(.*?)```/s.exec(PAGE)?.[1];

describe('the documented import', () => {
  let api: FlagsApi;
  let folder: Folder;

  before(async () => {
    [api, folder] = [await startFlagsApi(), await temporaryFolder()];
    const report = { api_url: api.sluice.url, project_id: api.ours.projectId, personal_api_key: api.key };
    await folder.write('dev.json', report);
  });
  after(async () => {
    await api.stop();
    await folder.remove();
  });

  it('prints what the page says, after a dry run that says the same and writes nothing', async () => {
    const [dry, real] = COMMANDS;
    assert.deepEqual(COMMANDS, [[...real!, '--dry-run'], real]);
    const planned = await sluice(dry!, { SLUICE_STATE_DIR: folder.path });
    assert.equal(planned.code, 2, planned.stderr);
    assert.deepEqual((await api.request('GET', '')).body, { count: 0, next: null, previous: null, results: [] });
    const done = await sluice(real!, { SLUICE_STATE_DIR: folder.path });
    assert.equal(done.stdout, PRINTED);
    const asPlanned = done.stdout
      .replace(/^(create|refuse)d /gm, '$1  ')
      .replace(/^skipped/gm, 'skip   ')
      .replace(/(\d) (create|refuse|skip)p?e?d\b/g, '$1 $2')
      .replace(/\.\n$/, '. Nothing was written.\n');
    assert.equal(planned.stdout, asPlanned);
    assert.deepEqual([done.code, done.stderr], [2, '']);
  });
});
