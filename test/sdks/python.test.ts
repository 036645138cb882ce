/** posthog-python, as it is released, against a started server. */
import assert from 'node:assert/strict';
import { startFaultyProxy, type InjectedFault } from '../support/servers/faulty-proxy.ts';
import { buildTenant, type Tenant } from '../support/api/identity.ts';
import { needsPythonSdk, runPythonSdk } from '../support/sdks/python-sdk.ts';
import { assertCompany, assertOnePerson, assertStoredOnce, STORY, readEvents } from '../support/sdks/sdk-story.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

for (const version of ['7.91.1', '3.7.0']) {
  describe(`posthog-python ${version}`, () => {
    let sluice: Sluice;
    let tenant: Tenant;
    before(async function () {
      await needsPythonSdk(this, version);
      sluice = await startSluice();
    });
    after(() => sluice?.stop());
    beforeEach(async () => void (tenant = await buildTenant(sluice.db)));

    it('captures a whole story', async () => {
      const reported = await runPythonSdk(version, 'story', sluice.url, tenant.apiToken);
      assert.equal(reported.filter(({ event }) => event === 'counted').length, STORY.batch);
      const rows = await readEvents(sluice, tenant);
      assertStoredOnce(rows, reported, { version });
      await assertOnePerson(sluice, tenant, rows, [STORY.anonymous, STORY.user]);
      await assertCompany(sluice, tenant, rows);
    });

    const faults: [string, InjectedFault][] = [
      ['the server had no time', 'busy'],
      ['the answer was lost', 'drop'],
    ];
    for (const [why, fault] of faults) {
      it(`sends again when ${why}: each event is stored once`, async () => {
        const proxy = await startFaultyProxy(sluice.url, () => (proxy.faults === 0 ? fault : undefined));
        const reported = await runPythonSdk(version, 'counted', proxy.origin, tenant.apiToken, '10');
        proxy.close();
        assert.equal(proxy.faults, 1);
        assert.equal(reported.length, 10);
        assertStoredOnce(await readEvents(sluice, tenant), reported, { version });
      });
    }
  });
}
