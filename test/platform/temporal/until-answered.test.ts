/** Waiting for a Temporal that does not answer: which errors end it, and what a stop throws. */
import assert from 'node:assert/strict';
import { Unavailable } from '../../../src/platform/errors.ts';
import { retryUntilAnswered } from '../../../src/platform/temporal/until-answered.ts';

const silent = async () => {
  throw new Unavailable('The workflow service is not reachable right now.', 5);
};

describe('waiting for Temporal', () => {
  it('makes another attempt after one that Temporal did not answer', async () => {
    const failures: unknown[] = [];
    let attempts = 0;
    const attempt = async () => (++attempts === 1 ? silent() : 'answered');
    const onFailure = (error: unknown) => failures.push(error);
    assert.equal(await retryUntilAnswered(attempt, { signal: new AbortController().signal, onFailure }), 'answered');
    assert.equal(failures.length, 1);
  });

  it('ends with an error that another attempt would meet again', async () => {
    const denied = Object.assign(new Error('PERMISSION_DENIED'), { code: 7 });
    const { signal } = new AbortController();
    const attempt = async () => Promise.reject(denied);
    await assert.rejects(retryUntilAnswered(attempt, { signal, onFailure: assert.fail }), (error) => error === denied);
  });

  it('ends with the reason of the signal when it is stopped in a pause', async () => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const onFailure = () => setTimeout(() => stopping.abort(reason), 10);
    await assert.rejects(
      retryUntilAnswered(silent, { signal: stopping.signal, onFailure }),
      (error) => error === reason,
    );
  });

  it('ends with the reason of the signal when it is stopped in an attempt', async () => {
    const stopping = new AbortController();
    const reason = new Error('stopped');
    const attempt = async () => {
      stopping.abort(reason);
      return silent();
    };
    await assert.rejects(
      retryUntilAnswered(attempt, { signal: stopping.signal, onFailure: assert.fail }),
      (error) => error === reason,
    );
  });
});
