/** NoOp: there is no counterpart, and nothing that stays unproven. */
import assert from 'node:assert/strict';
import { destinationOf } from '../../../src/exports/destinations/index.ts';
import { overlaps, parseKeySpace } from '../../../src/exports/destinations/key-space.ts';
import { itKeepsTheContract, type TestPlace } from '../../support/exports/destination-contract.ts';

const environment = { localRoot: undefined, allowedHosts: [] };
const noOp = destinationOf('NoOp', environment);

async function makePlace(): Promise<TestPlace> {
  return {
    destination: noOp,
    config: { arg: '' },
    environment,
    snapshot: async () => ({}),
    read: async () => undefined,
    leftovers: async () => 0,
    damages: [],
    stop: async () => {},
  };
}

describe('NoOp', () => {
  itKeepsTheContract({ first: 'counts_only', redelivery: 'counts_only', readers: 'no_rows' }, makePlace);

  it('may be the destination of several exports', () => {
    const [one, other] = ['a', 'b'].map((exportId) =>
      parseKeySpace(noOp.keySpace({ arg: '' }, { projectId: 7, model: 'events', exportId })),
    );
    assert.equal(overlaps(one!, other!), false);
  });
});
