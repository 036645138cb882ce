/** `sluice flags import` of ids that stand for several flags or cohorts, as in exports of two servers. */
import assert from 'node:assert/strict';
import { sluice, temporaryFolder, type Folder } from '../../support/flags/flag-import.ts';
import { filtersOnFlags, filtersWith, startFlagsApi, type FlagsApi } from '../../support/api/flags-api.ts';

const pro = { type: 'person', key: 'plan', operator: 'exact', value: ['pro'] };
const isIn = (id: number) => ({ type: 'cohort', key: 'id', operator: 'in', value: id });
const cohort = (id: number, name: string) => ({
  id,
  name,
  filters: { properties: { type: 'AND', values: [pro] } },
});
const sameId = (name: string, kind: string, id: number) =>
  `id: The ${kind} ${name} of the export has the same id, ${id}. Import the export of each server separately.`;

describe('sluice flags import of a shared id', () => {
  let api: FlagsApi;
  let folder: Folder;

  before(async () => {
    [api, folder] = [await startFlagsApi(), await temporaryFolder()];
  });
  after(async () => {
    await api.stop();
    await folder.remove();
  });

  const run = (...words: string[]) =>
    sluice(['flags', 'import', '--url', api.sluice.url, '--project', String(api.ours.projectId), ...words], {
      SLUICE_API_KEY: api.key,
    });

  it('refuses two flags with different keys, and conditions on their id', async () => {
    await api.create({ key: 'theirs', filters: filtersWith(pro) });
    const first = await folder.write('first.json', [
      { id: 8, key: 'above', filters: filtersOnFlags([7]) },
      { id: 9, key: 'other', filters: filtersWith(pro) },
      { id: 7, key: 'ours', filters: filtersWith(pro) },
    ]);
    const second = await folder.write('second.json', [
      { id: 7, key: 'theirs', filters: filtersWith(pro) },
      { id: 7, key: 'ours', filters: filtersWith(pro) },
      { id: 7, key: 'gone', filters: filtersWith(pro), deleted: true },
    ]);
    const { lines, code } = await run(first, second);
    assert.deepEqual(lines, [
      `refused  flag    gone  ${sameId('ours', 'flag', 7)}`,
      `refused  flag    ours  ${sameId('gone', 'flag', 7)}`,
      `refused  flag    theirs  ${sameId('gone', 'flag', 7)}`,
      'created  flag    other',
      'refused  flag    above  filters__groups__0__properties__0__key: It depends on the flag 7, which is the id of several flags in the export.',
      '0 cohorts. 5 flags: 1 created, 4 refused.',
    ]);
    assert.equal(code, 2);
  });

  it('refuses two cohorts with different names, and flags that name their id', async () => {
    const flags = await folder.write('flags.json', [{ id: 1, key: 'of-both', filters: filtersWith(isIn(5)) }]);
    const cohorts = await folder.write('cohorts.json', [cohort(5, 'Ours'), cohort(5, 'Theirs'), cohort(6, 'Unnamed')]);
    const { lines, code } = await run(flags, '--cohorts', cohorts);
    assert.deepEqual(lines, [
      `refused  cohort  Theirs  ${sameId('Ours', 'cohort', 5)}`,
      `refused  cohort  Ours  ${sameId('Theirs', 'cohort', 5)}`,
      'refused  flag    of-both  filters__groups__0__properties__0__value: It names the cohort 5, which is the id of several cohorts in the export.',
      '2 cohorts: 2 refused. 1 flag: 1 refused.',
    ]);
    assert.equal(code, 2);
  });
});
