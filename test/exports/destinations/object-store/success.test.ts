/** The mark `_SUCCESS` of a folder that holds exactly one interval. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { destinationOf } from '../../../../src/exports/destinations/index.ts';
import { inPathStyle, namesOf, type Layout } from '../../../../src/exports/destinations/object-store/keys.ts';
import { buildRows, stopAt, testInterval } from '../../../support/exports/deliveries.ts';

const FOLDER = 'date=2015-05-17/hour=10';
const MANIFEST = `${FOLDER}/20150517T100000Z-20150517T110000Z_manifest.json`;
const MARK = `${FOLDER}/_SUCCESS`;

describe('the mark _SUCCESS', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'sluice-success-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  function intervalWith(layout: Layout) {
    const environment = { localRoot: root, allowedHosts: [] };
    const config = { directory: 'web', prefix: '', path_style: 'hive', layout };
    return testInterval({ destination: destinationOf('LocalFile', environment), config, environment });
  }
  const visible = async () =>
    new Set(await readdir(path.join(root, '7', 'web'), { recursive: true }).catch(() => [] as string[]));

  it('appears after the manifest, wherever the commit is killed, and is there once the commit is repeated', async () => {
    const steps: string[] = [];
    const trial = intervalWith('versioned').plan([buildRows(1), buildRows(1)]);
    await trial.commit(await trial.write(), async (name) => void steps.push(name));
    assert.ok(steps.indexOf('success') > steps.indexOf('manifest'));
    for (const step of new Set(steps)) {
      await rm(root, { recursive: true });
      const run = intervalWith('versioned').plan([buildRows(1), buildRows(1)]);
      const staged = await run.write();
      await stopAt(step, (at) => run.commit(staged, at));
      const killed = await visible();
      assert.ok(!killed.has(MARK) || killed.has(MANIFEST), step);
      assert.equal(killed.has(MARK), step === 'after-commit', step);
      await run.commit(staged);
      assert.ok((await visible()).has(MARK), step);
    }
  });

  it('is written by the repair that finds the delivery of a killed run', async () => {
    const run = intervalWith('versioned').plan([buildRows(1)]);
    const staged = await run.write();
    await stopAt('success', (at) => run.commit(staged, at));
    assert.ok(!(await visible()).has(MARK));
    assert.ok(await run.delivered());
    assert.ok((await visible()).has(MARK));
  });

  it('is not written where names are stable, because files are then replaced under it', async () => {
    await intervalWith('stable').deliver([buildRows(1)]);
    const found = await visible();
    assert.deepEqual([found.has(MANIFEST), found.has(MARK)], [true, false]);
  });

  for (const [start, end, isAlone] of [
    ['13:00:00', '14:00:00', true],
    ['13:00:00', '15:30:00', true],
    ['13:00:00', '13:05:00', false],
    ['13:30:00', '14:30:00', false],
  ] as const) {
    it(`is ${isAlone ? '' : 'not '}for ${start} to ${end}`, () => {
      const [from, to] = [start, end].map((time) => `2026-11-22T${time}.000000Z`) as [string, string];
      const file = { format: 'JSONLines', compression: null, numbered: false } as const;
      const delivery = { start: from, end: to, model: 'events', runId: '', file };
      const markIn = (prefix: string) => namesOf(prefix, delivery, 'versioned').success;
      assert.equal(markIn(inPathStyle('web', 'hive')), isAlone ? 'web/date=2026-11-22/hour=13/_SUCCESS' : undefined);
      assert.equal(markIn('web'), undefined);
    });
  }
});
