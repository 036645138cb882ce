/** Checks the errors of deliveries that a test makes fail, and their faults. */
import assert from 'node:assert/strict';
import type { Fault } from '../../../src/platform/errors.ts';
import { DestinationRejected, DestinationUnavailable } from '../../../src/platform/errors.ts';
import { DESTINATION_FAULTS } from '../../../src/exports/faults/known-faults.ts';

/** Secrets, hosts, paths and SQL, which no message may contain. */
const FORBIDDEN_IN_MESSAGES = /127\.0\.0\.1|localhost|canary|\/tmp\/|select |insert into/i;

/**
 * @returns the fault of a delivery that fails
 * @throws AssertionError if it succeeds, if its owner, field or finality differ from `DESTINATION_FAULTS`, or if its message has secrets
 */
export async function faultIn(type: string, delivery: Promise<unknown>): Promise<Fault> {
  const error = await delivery.then(
    () => assert.fail('it should have failed'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof DestinationRejected || error instanceof DestinationUnavailable, String(error));
  const { fault, message } = error;
  assert.ok(fault, message);
  const known = DESTINATION_FAULTS[type]![fault.code];
  assert.ok(known, `${type} has no ${fault.code}`);
  const field = known.field === undefined ? null : `destination__config__${known.field}`;
  assert.deepEqual([fault.owner, fault.field], [known.owner, field]);
  assert.equal(error instanceof DestinationRejected, known.final === true, `${fault.code}: ${message}`);
  assert.doesNotMatch(message, FORBIDDEN_IN_MESSAGES);
  return fault;
}
