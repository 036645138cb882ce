/** Pages about exports for somebody who may look and not change: nothing is offered that the server would refuse, and each page says what it takes. */
import assert from 'node:assert/strict';
import { buildMember, buildRule } from '../../support/api/members.ts';
import { buildTenant } from '../../support/api/identity.ts';
import { assertAccessible } from '../../support/console/axe.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import type { BrowserVisit } from '../../support/console/visitor.ts';
import { runsAfterBackfill, buildExport } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const HOUR = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T10:00:00Z' };
const ACTIONS = /^(New export|Pause|Unpause|Edit|Delete|Deliver|Retry|Fix|Copy retry|Save|Create|Load the example)/;

describe('a viewer of exports', () => {
  let at: ConsoleInstallation;
  let visitor: BrowserVisit;
  let address: string;
  let run: string;
  before(async function () {
    await needsBrowser(this);
    at = await buildConsoleInstallation();
    const { world, tenant, sluice } = at;
    const { id } = await world.batchExports.create(world.projectId, buildExport({ name: 'Orders' }));
    const backfill = await world.backfills.request(world.projectId, id, HOUR);
    const runs = await runsAfterBackfill(world, id, backfill.id);
    address = `/project/${tenant.projectId}/exports/${id}`;
    run = `${address}/runs/${runs.at(-1)!.id}`;
    const viewer = await buildMember(sluice.db, tenant);
    await buildRule(sluice.db, tenant, 'viewer', { resource: 'batch_export', membership_id: viewer.membershipId });
    visitor = await at.visit({ userId: viewer.userId });
  });
  after(async () => {
    await visitor?.close();
    await at?.close();
  });

  async function assertNothingOffered(): Promise<void> {
    const { page } = visitor;
    for (const role of ['button', 'link'] as const)
      assert.deepEqual(await page.getByRole(role, { name: ACTIONS }).allTextContents(), [], page.url());
  }

  it('finds the exports in the list, and no way to make one', async () => {
    const { page } = visitor;
    await page.goto(`/project/${at.tenant.projectId}/exports`);
    await page.getByRole('link', { name: /^Orders/ }).waitFor();
    await assertNothingOffered();
    assert.equal(await page.getByRole('checkbox').count(), 0);
  });

  it('sees every interval of an export, and whom to ask in the place of the plan', async () => {
    const { page } = visitor;
    const plans: string[] = [];
    page.on('request', (request) => void (request.method() === 'POST' && plans.push(request.url())));
    await page.goto(`${address}?start=${HOUR.startAt}&end=${HOUR.endAt}`);
    await page.getByText('ask an editor to deliver these intervals').waitFor();
    await page.getByText('ask an editor to pause, change or deliver it').waitFor();
    await assertNothingOffered();
    assert.deepEqual(plans, [], 'the page asks for no plan');
    await assertAccessible(page);
  });

  it('reads a run and its receipt', async () => {
    const { page } = visitor;
    await page.goto(run);
    await page.getByText('You can look at this export; ask an editor to deliver again.').waitFor();
    await page.getByRole('region', { name: 'Receipt' }).waitFor();
    await assertNothingOffered();
  });

  it('reads on the pages of the form which level they take', async () => {
    const { page } = visitor;
    await page.goto(`/project/${at.tenant.projectId}/exports/new`);
    await page.getByText('To create one you need the editor level').waitFor();
    await assertNothingOffered();
    await page.goto(`${address}/edit`);
    await page.getByText('To change it you need the editor level').waitFor();
    await assertNothingOffered();
    await page.getByRole('link', { name: 'To the export' }).click();
    await page.getByRole('heading', { name: /^Orders/ }).waitFor();
  });

  it('of a project without exports reads that it takes more to make the first', async () => {
    const { sluice } = at;
    const empty = await buildTenant(sluice.db, { name: 'Empty' });
    const viewer = await buildMember(sluice.db, empty);
    await buildRule(sluice.db, empty, 'viewer', { resource: 'batch_export', membership_id: viewer.membershipId });
    const { page, close } = await at.visit({ userId: viewer.userId });
    await page.goto(`/project/${empty.projectId}/exports`);
    await page.getByText('To create one you need the editor level').waitFor();
    assert.equal(await page.getByRole('button', { name: ACTIONS }).count(), 0);
    await close();
  });
});
