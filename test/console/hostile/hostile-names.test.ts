/** Names that try to run something, on every page of the console: whatever people and programs may send is a text there. */
import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { promote } from '../../support/api/identity.ts';
import { buildMember } from '../../support/api/members.ts';
import { ATTACKS, URLS } from '../../support/attacks.ts';
import { assertNothingRan } from '../../support/console/hostile-page.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { runsAfterBackfill, buildExport } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const ALL = ATTACKS.join(' ');
const SHORT = ATTACKS[1]!;
const PROPERTIES = Object.fromEntries([...ATTACKS, ...URLS].map((text, n) => [n % 2 ? text : `p${n}`, text]));
const ROUTER = new URL('../../../console/src/router.tsx', import.meta.url);

type Ids = Record<'exportId' | 'runId' | 'flagId' | 'dashboardId', string>;

describe('hostile names in the console', function () {
  this.timeout(120_000);
  let installation: ConsoleInstallation;
  let ids: Ids;
  before(async function () {
    await needsBrowser(this);
    installation = await buildConsoleInstallation();
    ids = await build();
  });
  after(() => installation?.close());

  async function build(): Promise<Ids> {
    const { sluice, tenant, world, request } = installation;
    const { db } = sluice;
    await promote(db, tenant, 'owner');
    await db('organizations').where({ id: tenant.organizationId }).update({ name: ALL });
    await db('projects').where({ id: tenant.projectId }).update({ name: ALL });
    const guest = await buildMember(db, tenant);
    for (const userId of [tenant.userId, guest.userId])
      await db('users').where({ id: userId }).update({ first_name: ATTACKS[2], last_name: SHORT });
    for (const owner of [{ userId: tenant.userId }, { projectId: tenant.projectId }])
      await keyStore(db).create(owner, { label: SHORT.slice(0, 40), description: ALL, scopes: ['event:read'] });
    await db('organization_invites').insert(inviteOf());
    const batch = ATTACKS.map((text) => ({
      event: text.slice(0, 200),
      distinct_id: text.slice(0, 200),
      properties: PROPERTIES,
    }));
    const sent = await fetch(`${sluice.url}/batch/`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: tenant.apiToken, batch }),
    });
    assert.equal(sent.status, 200);
    const flag = await request<{ id: number }>('POST', '/feature_flags/', {
      key: 'attacked',
      name: ALL,
      filters: {
        groups: [{ properties: [{ type: 'person', key: SHORT, operator: 'exact', value: [ALL] }], description: ALL }],
        payloads: { true: PROPERTIES },
      },
    });
    await request('PATCH', `/feature_flags/${flag.id}/`, {
      name: `${ALL} again`,
      filters: {
        groups: [
          { properties: [{ type: 'person', key: ATTACKS[0], operator: 'exact', value: [SHORT] }], description: SHORT },
        ],
        payloads: { true: [ALL] },
      },
    });
    return { ...(await buildExported()), flagId: String(flag.id), dashboardId: String(await buildDashboard()) };

    function inviteOf() {
      return {
        id: crypto.randomUUID(),
        organization_id: tenant.organizationId,
        email: '"<img/src=x/onerror=window.executed=1>"@example.com',
        first_name: SHORT,
        message: ALL,
        role: 'member',
        token_hash: Buffer.alloc(32),
        created_by: tenant.userId,
        expires_at: new Date(Date.now() + 86_400_000),
      };
    }

    async function buildExported(): Promise<Pick<Ids, 'exportId' | 'runId'>> {
      const destination = { type: 'LocalFile' as const, config: { directory: 'attacked' } };
      const made = await world.batchExports.create(
        tenant.projectId,
        buildExport({ name: ALL.slice(0, 200), destination }),
      );
      // A file stands where the folder should be, so that a run fails.
      await mkdir(world.folder, { recursive: true });
      await writeFile(path.join(world.folder, 'attacked'), '');
      const hour = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T10:00:00Z' };
      const { id: backfillId } = await world.backfills.request(tenant.projectId, made.id, hour);
      await runsAfterBackfill(world, made.id, backfillId);
      await db('batch_export_runs').where({ batch_export_id: made.id }).update({ latest_error: ALL });
      await request('POST', `/batch_exports/${made.id}/pause/`, { reason: SHORT });
      const runs = await request<{ results: { id: string }[] }>('GET', `/batch_exports/${made.id}/runs/`);
      return { exportId: made.id, runId: runs.results[0]!.id };
    }

    async function buildDashboard(): Promise<number> {
      const dashboard = await request<{ id: number }>('POST', '/dashboards/', {
        name: ALL.slice(0, 300),
        description: ALL,
      });
      const source = {
        kind: 'TrendsQuery',
        series: [{ kind: 'EventsNode', event: ATTACKS[0], custom_name: ALL.slice(0, 400) }],
        trendsFilter: { display: 'ActionsBar' },
      };
      await request('POST', '/insights/', {
        name: ALL.slice(0, 300),
        description: ALL,
        query: { kind: 'InsightVizNode', source },
        dashboards: [dashboard.id],
      });
      const table = { kind: 'EventsQuery', select: ['event', 'distinct_id', 'properties'] };
      await request('POST', '/insights/', {
        name: SHORT,
        query: { kind: 'DataTableNode', source: table },
        dashboards: [dashboard.id],
      });
      const body = [...ATTACKS, ...URLS.map((url) => `[link](${url})`)].join('\n\n');
      await request('POST', `/dashboards/${dashboard.id}/create_text_tile/`, { body });
      return dashboard.id;
    }
  }

  /** Every page that the router names, at an address whose filters are hostile, too. */
  async function addresses(): Promise<string[]> {
    const text = await readFile(ROUTER, 'utf8');
    const paths = [...text.matchAll(/^ {2}path: '([^']+)',$/gm)].map(([, found]) => found!);
    // The server knows no page at an address whose token has other characters.
    const token = 'no-such-token';
    const known: Record<string, string> = { ...ids, projectId: String(installation.tenant.projectId), token };
    const names = ['search', 'state', 'event', 'text', 'next', 'field', 'distinct_id', 'after', 'level', 'view'];
    const query = new URLSearchParams(names.map((name) => [name, SHORT])).toString();
    return paths.map((found) => {
      const whole = found.startsWith('/') ? found : `/project/$projectId/${found}`;
      const address = whole.replaceAll(/\$(\w+)/g, (_, name: string) => known[name] ?? encodeURIComponent(SHORT));
      return address + (whole === '/login' ? `?next=${encodeURIComponent(URLS[0]!)}` : `?${query}`);
    });
  }

  it('execute nothing, lead nowhere and load nothing, on any page', async () => {
    const { page, close } = await installation.visit();
    const all = await addresses();
    assert.ok(all.length >= 15, all.join(' '));
    const shown: string[] = [];
    for (const address of [...all, ...all.map((one) => one.split('?')[0]!)]) {
      await page.goto(address);
      await page.locator('main').first().waitFor();
      await page.waitForFunction(() => document.querySelector('[aria-label=Loading]') === null);
      await assertNothingRan(page, address);
      if ((await page.locator('body').innerText()).includes('onerror=window.executed=1')) shown.push(address);
    }
    // Texts that are not there prove nothing.
    assert.ok(shown.length > 30, `${shown.length} of ${2 * all.length}`);
    await close();
  });

  it('execute nothing in what pages open', async () => {
    const { page, close } = await installation.visit();
    const project = `/project/${installation.tenant.projectId}`;
    await page.goto(`${project}/events`);
    for (let n = 0; n < 3; n++) {
      await page.locator('[data-row]').nth(n).click();
      await page.locator('pre').first().waitFor();
      await assertNothingRan(page, 'an event');
    }
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('executed');
    await page
      .getByRole('menuitem', { name: /executed/ })
      .first()
      .waitFor();
    await assertNothingRan(page, 'the palette');
    await page.goto(`${project}/flags/${ids.flagId}`);
    const change = page
      .getByRole('region', { name: 'History' })
      .getByRole('listitem')
      .filter({ hasText: 'v2' })
      .first();
    await change.getByText('onerror=window.executed=1').first().waitFor();
    await assertNothingRan(page, 'the history of a flag');
    await page.goto(`${project}/dashboards/${ids.dashboardId}`);
    await page.locator('.markdown').waitFor();
    await page
      .getByRole('region', { name: /, table$/ })
      .first()
      .waitFor();
    await assertNothingRan(page, 'a dashboard');
    for (const [address, button] of [
      ['/settings/keys', /^Delete/],
      [`${project}/settings`, /^Roll/],
      ['/settings/members', /^Remove/],
    ] as const) {
      await page.goto(address);
      await page.getByRole('button', { name: button }).first().click();
      await page.getByRole('dialog').waitFor();
      await assertNothingRan(page, address);
    }
    await close();
  });
});
