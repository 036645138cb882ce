import assert from 'node:assert/strict';
import { createProjectCache, MAX_PROJECTS } from '../../../src/flags/definitions/held-projects.ts';
import type { ProjectFlags } from '../../../src/flags/definitions/project-flags.ts';

const project = (projectId: number, token = `phc_${projectId}`): ProjectFlags =>
  ({ projectId, token }) as unknown as ProjectFlags;

describe('held projects', () => {
  it('are forgotten when there are too many, those that were not used for longest first', () => {
    const held = createProjectCache();
    for (let id = 1; id <= MAX_PROJECTS; id++) held.put(project(id));
    held.findByToken('phc_1');
    held.findById(2);
    held.peek(3);
    held.put(project(MAX_PROJECTS + 1));
    held.put(project(MAX_PROJECTS + 2));
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((id) => held.peek(id) !== undefined),
      [true, true, false, false, true],
    );
    assert.equal(held.findByToken('phc_3'), undefined);
    assert.equal(held.list().length, MAX_PROJECTS);
  });

  it('are missing for two seconds, or until they are there', () => {
    let now = 0;
    const held = createProjectCache(() => now);
    held.rememberMissing('phc_1');
    held.rememberMissing('2');
    assert.deepEqual([held.isMissing('phc_1'), held.isMissing('phc_2')], [true, false]);
    held.put(project(2));
    assert.equal(held.isMissing('2'), false);
    now = 2_000;
    assert.equal(held.isMissing('phc_1'), false);
  });
});
