import assert from 'node:assert/strict';
import { cacheByProjectVersion } from '../../src/flags/published.ts';
import type { ProjectFlags } from '../../src/flags/definitions/project-flags.ts';

const state = (projectId: number, version: string) => ({ projectId, version }) as ProjectFlags;

describe('the published text for pages', () => {
  let loads: number[];
  let isAway: boolean;
  let cachedLoad: (project: ProjectFlags) => Promise<number>;
  beforeEach(() => {
    loads = [];
    isAway = false;
    cachedLoad = cacheByProjectVersion(async (projectId) => {
      loads.push(projectId);
      if (isAway) throw new Error('away');
      return loads.length;
    });
  });

  it('is read once for each state of a project, however many ask', async () => {
    const answers = await Promise.all([
      cachedLoad(state(1, 'a')),
      cachedLoad(state(1, 'a')),
      cachedLoad(state(2, 'a')),
    ]);
    assert.deepEqual(answers, [1, 1, 2]);
    assert.deepEqual(
      [await cachedLoad(state(1, 'a')), await cachedLoad(state(1, 'b')), await cachedLoad(state(1, 'b'))],
      [1, 3, 3],
    );
    assert.deepEqual(loads, [1, 2, 1]);
  });

  it('is what it last was while it cannot be read, and is read again when it can', async () => {
    assert.equal(await cachedLoad(state(1, 'a')), 1);
    isAway = true;
    assert.deepEqual([await cachedLoad(state(1, 'b')), await cachedLoad(state(1, 'b'))], [1, 1]);
    await assert.rejects(cachedLoad(state(2, 'a')), /away/);
    isAway = false;
    assert.deepEqual([await cachedLoad(state(1, 'b')), await cachedLoad(state(2, 'a'))], [5, 6]);
  });
});
