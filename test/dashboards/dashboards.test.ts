import assert from 'node:assert/strict';
import { startDashboardsApi, type DashboardsApi } from '../support/dashboards-api.ts';

describe('a dashboard', () => {
  let api: DashboardsApi;

  before(async () => {
    api = await startDashboardsApi();
  });
  after(() => api.stop());

  it('needs nothing to be made', async () => {
    const made = await api.create();
    assert.equal(made.name, null);
  });
});
