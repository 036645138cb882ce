/** A few computations at once, of one project after the other. */
import assert from 'node:assert/strict';
import { createTurns } from '../../../src/analytics/queries/turns.ts';
import { Unavailable } from '../../../src/platform/errors.ts';

describe('turns of computations', () => {
  it('are taken by projects one after the other, with a limit on concurrency', async () => {
    const turns = createTurns({ maxConcurrent: 2, maxWaiting: 10 });
    const startedWork: string[] = [];
    const gate = Promise.withResolvers<void>();
    let running = 0;
    const work = (name: string) => async () => {
      startedWork.push(name);
      assert.ok((running += 1) <= 2);
      await gate.promise;
      running -= 1;
      return name;
    };
    const all = [1, 1, 1, 1, 2].map((project, index) => turns.take(project, work(`${project}.${index}`)));
    await new Promise(setImmediate);
    assert.deepEqual(startedWork, ['1.0', '2.4'], 'one place is left for others');
    gate.resolve();
    assert.deepEqual(await Promise.all(all), ['1.0', '1.1', '1.2', '1.3', '2.4']);
    assert.deepEqual(startedWork.slice(2), ['1.1', '1.2', '1.3']);
  });

  it('continue after one that fails, and are refused when too many wait', async () => {
    const turns = createTurns({ maxConcurrent: 1, maxWaiting: 1 });
    const gate = Promise.withResolvers<void>();
    const failing = turns.take(1, () => gate.promise);
    const waiting = turns.take(1, async () => 'done');
    await assert.rejects(
      turns.take(1, async () => 'never'),
      Unavailable,
    );
    gate.reject(new Error('broken'));
    await assert.rejects(failing, /broken/);
    assert.equal(await waiting, 'done');
  });

  it('are given up by who leaves, and by who waited for too long', async () => {
    const turns = createTurns({ maxConcurrent: 1, maxWaiting: 5, maxWaitMs: 20 });
    const gate = Promise.withResolvers<void>();
    const running = turns.take(1, () => gate.promise);
    const gone = new AbortController();
    const leaving = turns.take(2, async () => assert.fail('nobody waits for it'), gone.signal);
    gone.abort(new Error('gone'));
    await assert.rejects(leaving, /gone/);
    await assert.rejects(
      turns.take(3, async () => assert.fail('it waited for too long')),
      Unavailable,
    );
    gate.resolve();
    await running;
    assert.equal(await turns.take(3, async () => 'done'), 'done');
  });
});
