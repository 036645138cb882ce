import assert from 'node:assert/strict';
import { presentUser } from '../../../src/people/accounts/users.ts';

const ANN = {
  id: 7,
  uuid: '0198f3a0-0000-7000-8000-000000000007',
  distinctId: 'ann',
  firstName: 'Ann',
  lastName: 'Lee',
  email: 'ann@example.com',
  isEmailVerified: true,
  hedgehogConfig: {},
  roleAtOrganization: '',
};

describe('users in other objects', () => {
  it('have the fields of the contract, an object and a text even where nothing was given', () => {
    assert.deepEqual(presentUser(ANN), {
      id: 7,
      uuid: ANN.uuid,
      distinct_id: 'ann',
      first_name: 'Ann',
      last_name: 'Lee',
      email: 'ann@example.com',
      is_email_verified: true,
      hedgehog_config: {},
      role_at_organization: '',
    });
  });

  const look = { color: 'red', accessories: ['beret'], skin: 'spiderhog' };
  for (const [version, given, shown] of [
    ['the first', { use_as_profile: true, ...look, walking: true }, { use_as_profile: true, ...look }],
    ['the second', { version: 2, use_as_profile: true, actor_options: look }, { use_as_profile: true, ...look }],
    ['half a', { color: 'red' }, { use_as_profile: null, color: 'red', accessories: null, skin: null }],
    ['a broken', { actor_options: 'red' }, { use_as_profile: null, color: null, accessories: null, skin: null }],
  ] as const) {
    it(`show four things of ${version} version of their picture`, () => {
      assert.deepEqual(presentUser({ ...ANN, hedgehogConfig: given }).hedgehog_config, shown);
    });
  }
});
