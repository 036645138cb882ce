import assert from 'node:assert/strict';
import { startCohortsApi, type Body, type CohortsApi } from '../support/api/cohorts-api.ts';

describe('flags of groups', () => {
  let api: CohortsApi;

  before(async () => {
    api = await startCohortsApi();
  });
  after(() => api.stop());

  it('see what was made of a group, by its next event or by the API', async () => {
    const project = `/api/projects/${api.ours.projectId}`;
    const flagOf = async (company: string) => {
      const body = JSON.stringify({ token: api.ours.apiToken, distinct_id: 'ann', groups: { company } });
      const answer = await fetch(`${api.sluice.url}/flags/?v=1`, { method: 'POST', body });
      return ((await answer.json()) as { featureFlags: Body }).featureFlags['gold'];
    };
    const identify = (tier: string) => {
      const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { tier } };
      return api.capture({ event: '$groupidentify', distinct_id: 'ann', properties });
    };
    await identify('silver');
    const condition = { type: 'group', key: 'tier', value: 'gold', group_type_index: 0 };
    const groups = [{ properties: [condition], rollout_percentage: 100 }];
    const filters = { aggregation_group_type_index: 0, groups };
    await api.done('POST', `${project}/feature_flags/`, { key: 'gold', filters });
    assert.equal(await flagOf('acme'), false);
    await identify('gold');
    assert.equal(await flagOf('acme'), true);

    await api.done('POST', `${project}/groups/delete_property/?group_type_index=0&group_key=acme`, { $unset: 'tier' });
    assert.equal(await flagOf('acme'), false);
    await api.done('POST', `${project}/groups/update_property/?group_type_index=0&group_key=acme`, {
      key: 'tier',
      value: 'GOLD',
    });
    assert.equal(await flagOf('acme'), true);
    assert.equal(await flagOf('other'), false);
    const other = { group_type_index: 0, group_key: 'other', group_properties: { tier: 'gold' } };
    await api.done('POST', `${project}/groups/`, other);
    assert.equal(await flagOf('other'), true);
  });
});
