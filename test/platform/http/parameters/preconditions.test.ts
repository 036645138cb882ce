import assert from 'node:assert/strict';
import { Stale } from '../../../../src/platform/errors.ts';
import {
  ensureVersion,
  expectedVersion,
  locationHeader,
  preferRepresentation,
} from '../../../../src/platform/http/parameters/preconditions.ts';
import { json, noBody } from '../../../../src/platform/http/route.ts';

const change = (ifMatch: string | undefined, version: string | number) => () =>
  ensureVersion(expectedVersion({ 'if-match': ifMatch }), version, 'flag');

describe('`If-Match`', () => {
  it('lets a change of the version that the client read pass, whether it is a number or a text', () => {
    assert.doesNotThrow(change('"3"', 3));
    assert.doesNotThrow(change(' "3" ', '3'));
  });

  it('refuses the change of any other version', () => {
    assert.throws(change('"3"', 4), new Stale('The flag was changed since you read it.'));
    assert.throws(change('"30"', '3'), Stale);
  });

  it('refuses what is no tag of a version', () => {
    for (const text of ['3', 'W/"3"', '"3", "4"', '"x"', '']) assert.throws(change(text, 3), Stale, text);
  });

  it('insists on nothing where it is absent or `*`', () => {
    assert.doesNotThrow(change(undefined, 3));
    assert.doesNotThrow(change('*', 3));
  });
});

describe('`Location`', () => {
  it('is below the address of the collection, with or without a slash at the end, and without its query', () => {
    for (const address of ['https://sluice.test/api/things/', 'https://sluice.test/api/things?refresh=true'])
      assert.deepEqual(locationHeader(new URL(address), 7), { Location: 'https://sluice.test/api/things/7/' });
  });
});

const whole = () => json(200, { id: 7 }, { ETag: '"1"' });

describe('`Prefer: return=representation`', () => {
  const empty = noBody(200, { Location: '/things/7/' });

  it('brings the object, beside the headers of the empty answer, and says that it did', async () => {
    assert.deepEqual(await preferRepresentation({ prefer: 'respond-async, return=representation' }, empty, whole), {
      status: 200,
      headers: { Location: '/things/7/', ETag: '"1"', 'Preference-Applied': 'return=representation' },
      body: { id: 7 },
    });
  });

  it('leaves the answer as it is for other clients', async () => {
    for (const prefer of [undefined, 'return=minimal'])
      assert.equal(await preferRepresentation(prefer === undefined ? {} : { prefer }, empty, whole), empty);
  });
});
