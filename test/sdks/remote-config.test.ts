/** posthog-node reads remote configuration, as it is released, against a started server. */
import assert from 'node:assert/strict';
import { PostHog } from 'posthog-node';
import { filtersWith, startFlagsApi, type FlagsApi } from '../support/api/flags-api.ts';
import { buildPersonalKey, buildProjectSecretKey } from '../support/api/identity.ts';

describe('remote configuration in posthog-node', () => {
  let api: FlagsApi;
  before(async () => (api = await startFlagsApi()));
  after(() => api.stop());

  it('is read with a secret key, in the open and encrypted', async () => {
    const config = { is_remote_configuration: true, filters: { ...filtersWith(), payloads: { true: { max: 5 } } } };
    await api.create({ key: 'open', ...config });
    await api.create({ key: 'sealed', has_encrypted_payloads: true, ...config });
    const { db } = api.sluice;
    const keys = [
      await buildPersonalKey(db, api.ours, 'feature_flag:read'),
      await buildProjectSecretKey(db, api.ours, 'feature_flag:read'),
    ];
    for (const secretKey of keys) {
      const client = new PostHog(api.ours.apiToken, { host: api.sluice.url, secretKey, enableLocalEvaluation: false });
      for (const key of ['open', 'sealed']) assert.deepEqual(await client.getRemoteConfigPayload(key), { max: 5 });
      await client.shutdown();
    }
  });
});
