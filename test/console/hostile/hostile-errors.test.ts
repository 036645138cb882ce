/** Log lines and errors that try to run something: what destinations, their operators and programs say is a text on every page. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { Locator, Page } from 'playwright-core';
import { createClient } from '../../../src/platform/db/connection.ts';
import { ATTACKS, URLS } from '../../support/attacks.ts';
import { assertNothingRan } from '../../support/console/hostile-page.ts';
import { buildConsoleInstallation, type ConsoleInstallation } from '../../support/console/installation.ts';
import { createEmptyDatabase, type TestDatabase } from '../../support/database/database.ts';
import { buildEvent, microseconds } from '../../support/events/events.ts';
import { eventually } from '../../support/exports/export-world.ts';
import { needsBrowser } from '../../support/sdks/browser.ts';

const TEXTS = [...ATTACKS, ...URLS];
/** An attack that may be the name of a folder and of a schema. */
const NAME = ATTACKS[1]!;
const FORMER_NAME = ATTACKS[2]!;
const HOUR = { start_at: '2025-06-02T09:00:00Z', end_at: '2025-06-02T10:00:00Z' };
const LEVELS = ['DEBUG', 'INFO', 'WARNING', 'ERROR'];

type Failed = { exportId: string; runId: string };
type Listed = { results: { id: string; status: string; latest_error: string | null }[] };

/** Both kinds of failure may pass by themselves, so the runs try again. */
const hasError = ({ latest_error: error }: Listed['results'][number]) => error !== null;
const compact = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

async function assertShown(place: Locator, text: string): Promise<void> {
  const all = await place.allTextContents();
  assert.ok(
    all.some((one) => compact(one).includes(compact(text))),
    `${text} is not in ${all.join('\n')}`,
  );
}

describe('hostile log lines and errors in the console', function () {
  this.timeout(240_000);
  let installation: ConsoleInstallation;
  let target: TestDatabase;
  /** A schema whose name is an attack is not there; an operator's trigger raises attacks; a folder is named so. */
  let missing: Failed;
  let raised: Failed;
  let delivered: Failed;
  let page: Page;
  let close: (() => Promise<void>) | undefined;

  before(async function () {
    await needsBrowser(this);
    [installation, target] = [await buildConsoleInstallation(), await createEmptyDatabase()];
    const { sluice, tenant, world } = installation;
    await sluice.db('users').where({ id: tenant.userId }).update({ first_name: NAME, last_name: FORMER_NAME });
    await world.store([buildEvent({ uuid: randomUUID(), timestamp: microseconds('2025-06-02T09:30:00Z') })]);
    await raiseAttacks();
    missing = await fail(await buildPostgresExport(FORMER_NAME), NAME);
    raised = await run(await buildPostgresExport('public'), hasError);
    const folder = { type: 'LocalFile', config: { directory: NAME } };
    delivered = await run(await buildExport(folder), ({ status }) => status === 'Completed');
    await insertAttacks(missing);
    ({ page, close } = await installation.visit());
  });
  after(async () => {
    try {
      // Fails if a page broke a rule of the policy, or asked another server.
      await close?.();
    } finally {
      await installation?.close();
      await target?.drop();
    }
  });

  /** Raises the attacks as message, detail and hint of an error whenever something is created there. */
  async function raiseAttacks(): Promise<void> {
    const client = createClient({ url: target.url, applicationName: 'test' });
    await client.connect();
    const all = client.escapeLiteral(TEXTS.join(' '));
    await client.query(`
      create function raise_attacks() returns event_trigger language plpgsql as $body$
      begin
        raise exception using message = ${all}, detail = ${all}, hint = ${all}, table = ${client.escapeLiteral(NAME)};
      end $body$`);
    await client.query('create event trigger raise_attacks on ddl_command_start execute function raise_attacks()');
    await client.end();
  }

  async function buildExport(destination: object): Promise<string> {
    const wanted = { name: ATTACKS[0], model: 'events', interval: 'hour', destination };
    return (await installation.request<{ id: string }>('POST', '/batch_exports/', wanted)).id;
  }

  function buildPostgresExport(schema: string): Promise<string> {
    const { hostname: host, port, username: user, password, pathname } = new URL(target.url);
    const server = { host, port: Number(port), user, password: decodeURIComponent(password) };
    return buildExport({
      type: 'Postgres',
      config: { ...server, database: pathname.slice(1), schema, table_name: 'events' },
    });
  }

  /** Moves the export to a schema that is not there: the change is part of the diagnosis. */
  async function fail(exportId: string, schema: string): Promise<Failed> {
    const destination = { type: 'Postgres', config: { schema } };
    await installation.request('PATCH', `/batch_exports/${exportId}/`, { destination });
    return run(exportId, hasError);
  }

  async function run(exportId: string, isEnough: (run: Listed['results'][number]) => boolean): Promise<Failed> {
    await installation.request('POST', `/batch_exports/${exportId}/backfill/`, HOUR);
    const runId = await eventually('the run', async () => {
      const { results } = await installation.request<Listed>('GET', `/batch_exports/${exportId}/runs/`);
      return results.find(isEnough)?.id;
    });
    return { exportId, runId };
  }

  /** Texts that no way of today leads there: a later destination, or a former version, may have stored them. */
  async function insertAttacks({ exportId, runId }: Failed): Promise<void> {
    const { db } = installation.sluice;
    await db('batch_export_logs').insert(
      TEXTS.flatMap((message, n) =>
        [runId, null].map((run_id) => ({
          batch_export_id: exportId,
          run_id,
          level: LEVELS[n % LEVELS.length],
          message: `${n} ${message}`,
          attempt: 1,
        })),
      ),
    );
    const { rows: steps } = await db.raw<{ rows: { attempt: number; step: string }[] }>(
      'select attempt, step from batch_export_attempts where run_id = ?',
      [runId],
    );
    assert.ok(steps.length > 0);
    await db('batch_export_attempts')
      .where({ run_id: runId })
      .update({ error_detail: ATTACKS.join(' '), error_code: 'unknown', error_owner: 'destination' });
    await installation.request('POST', `/batch_exports/${exportId}/pause/`, { reason: NAME });
  }

  async function open(address: string): Promise<void> {
    await page.goto(`/project/${installation.tenant.projectId}${address}`);
    await page.locator('main').first().waitFor();
    await page.waitForFunction(() => document.querySelector('[aria-label=Loading]') === null);
  }
  const openRun = ({ exportId, runId }: Failed) => open(`/exports/${exportId}/runs/${runId}`);

  it('are shown as they are on the page of a run: its log, its error, its attempts and what was changed', async () => {
    await openRun(missing);
    const log = page.getByRole('log');
    await log.getByText('0 <script>').waitFor();
    for (const [n, text] of TEXTS.entries()) await assertShown(log.locator('span'), `${n} ${text}`);
    const error = page.getByRole('region', { name: /^The schema/ });
    await error.getByText('raw').click();
    await assertShown(error.locator('h2'), `The schema "${NAME.replaceAll('"', '""')}" does not exist.`);
    await assertShown(error.locator('li'), FORMER_NAME);
    await assertShown(error.locator('li'), NAME);
    await assertShown(page.getByRole('table', { name: 'Attempts' }).locator('p'), ATTACKS.join(' '));
    await assertNothingRan(page, 'the run');
  });

  it('execute nothing in a log that is filtered and linked to', async () => {
    const { exportId, runId } = missing;
    for (const text of [NAME, FORMER_NAME]) {
      await open(`/exports/${exportId}/runs/${runId}?${new URLSearchParams({ text })}`);
      await page.getByRole('log').getByText(text).first().waitFor();
      await page.getByRole('log').getByRole('link').first().click();
      await assertNothingRan(page, 'a filtered log');
    }
  });

  it('of a server are not repeated, only their SQLSTATE', async () => {
    await openRun(raised);
    await page.getByText('A trigger of the table raised an error. (SQLSTATE P0001)').first().waitFor();
    const shown = (await page.locator('main').textContent()) ?? '';
    // The name of the user who made the export is on the page, too, and is another attack.
    for (const text of TEXTS.slice(3)) assert.ok(!compact(shown).includes(compact(text)), text);
    await assertNothingRan(page, 'the run of a server that raises');
  });

  it('are shown as they are in the receipt and the log of what was delivered', async () => {
    await openRun(delivered);
    const receipt = page.getByRole('region', { name: 'Receipt' });
    await receipt.waitFor();
    await assertShown(receipt, NAME);
    await page.getByRole('log').getByText('Delivered 1 rows').waitFor();
    await assertShown(page.getByRole('log').locator('span'), NAME);
    await assertNothingRan(page, 'the run of what was delivered');
  });

  it('execute nothing on the pages of the export, its form, the list and the palette', async () => {
    const { exportId } = missing;
    await open(`/exports/${exportId}`);
    await page.getByText(ATTACKS[0]!).first().waitFor();
    await assertNothingRan(page, 'the export');
    await open(`/exports/${exportId}/edit`);
    assert.equal(await page.getByLabel('Schema', { exact: true }).inputValue(), NAME);
    await assertNothingRan(page, 'the form');
    await page.goto('/');
    await page.getByText(ATTACKS[0]!).first().waitFor();
    await assertShown(page.locator('main p'), NAME);
    await assertNothingRan(page, 'the list');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('executed');
    await page
      .getByRole('menuitem', { name: /executed/ })
      .first()
      .waitFor();
    await assertNothingRan(page, 'the palette');
  });
});
