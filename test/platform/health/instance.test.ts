/** `/api/instance/`: the installation, as those see it who are logged in. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { buildPersonalKey, buildSession, buildTenant, type Tenant } from '../../support/api/identity.ts';
import { startSluice, type Sluice, type SluiceOptions } from '../../support/servers/sluice.ts';

type Instance = {
  version: string;
  temporal: { ui_url: string | null; namespace: string };
  mail: { configured: boolean };
  deliveries: { blocked: boolean; reason: string | null };
  links: Record<string, string>;
};

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

describe('the installation', () => {
  let sluice: Sluice;
  let tenant: Tenant;

  async function begin(options: SluiceOptions): Promise<void> {
    sluice = await startSluice(options);
    tenant = await buildTenant(sluice.db);
  }
  async function instance(): Promise<Instance> {
    const key = await buildPersonalKey(sluice.db, tenant, 'batch_export:read');
    const answer = await fetch(`${sluice.url}/api/instance/`, { headers: { Authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200);
    return (await answer.json()) as Instance;
  }

  describe('with little configured', () => {
    before(() => begin({}));
    after(() => sluice.stop());

    it('says its version, and what there is not', async () => {
      assert.deepEqual(await instance(), {
        version,
        temporal: { ui_url: null, namespace: 'test' },
        mail: { configured: false },
        deliveries: { blocked: false, reason: null },
        links: {
          api: `${sluice.url}/api/`,
          api_schema: `${sluice.url}/api/schema/`,
          readiness: `${sluice.url}/_readyz/`,
        },
      });
    });

    it('says why nothing is delivered, until it is recovered', async () => {
      await sluice.db('timeline').update({ blocked: 'differs' });
      const { deliveries } = await instance();
      assert.equal(deliveries.blocked, true);
      assert.match(deliveries.reason!, /^Deliveries are blocked: .*`sluice recover`/);
      await sluice.db('timeline').update({ blocked: null });
      assert.deepEqual((await instance()).deliveries, { blocked: false, reason: null });
    });

    it('is shown to people who are logged in, and to no stranger', async () => {
      const address = `${sluice.url}/api/instance/`;
      assert.equal((await fetch(address)).status, 401);
      assert.equal((await fetch(address, { headers: await buildSession(sluice.db, tenant) })).status, 200);
    });
  });

  describe('with mail and a UI of Temporal', () => {
    before(() =>
      begin({
        mail: { url: 'smtp://ada:secret-word@127.0.0.1:1', from: 'sluice@example.com' },
        temporalUiUrl: 'https://ada:secret-word@temporal.example/ui/?token=secret-word',
      }),
    );
    after(() => sluice.stop());

    it('reports both, without a secret of either', async () => {
      const found = await instance();
      assert.equal(found.mail.configured, true);
      assert.equal(found.temporal.ui_url, 'https://temporal.example/ui');
      assert.doesNotMatch(JSON.stringify(found), /secret-word|smtp/);
    });
  });
});
