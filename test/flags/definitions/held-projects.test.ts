import assert from 'node:assert/strict';
import { createHeldProjects, MAX_PROJECTS } from '../../../src/flags/definitions/held-projects.ts';
import type { ProjectFlags } from '../../../src/flags/definitions/project-flags.ts';

const project = (projectId: number, token = `phc_${projectId}`): ProjectFlags =>
  ({ projectId, token }) as unknown as ProjectFlags;

describe('held projects', () => {
  it('are forgotten when there are too many, those that were not used for longest first', () => {
    const held = createHeldProjects();
    for (let id = 1; id <= MAX_PROJECTS; id++) held.put(project(id));
    held.byToken('phc_1');
    held.byId(2);
    held.peek(3);
    held.put(project(MAX_PROJECTS + 1));
    held.put(project(MAX_PROJECTS + 2));
    assert.deepEqual(
      [1, 2, 3, 4, 5].map((id) => held.peek(id) !== undefined),
      [true, true, false, false, true],
    );
    assert.equal(held.byToken('phc_3'), undefined);
    assert.equal(held.all().length, MAX_PROJECTS);
  });

  it('are missing for two seconds, or until they are there', () => {
    let now = 0;
    const held = createHeldProjects(() => now);
    held.miss('phc_1');
    held.miss('2');
    assert.deepEqual([held.isMissing('phc_1'), held.isMissing('phc_2')], [true, false]);
    held.put(project(2));
    assert.equal(held.isMissing('2'), false);
    now = 2_000;
    assert.equal(held.isMissing('phc_1'), false);
  });
});
