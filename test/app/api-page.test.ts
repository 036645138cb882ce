/** The page of the OpenAPI document, in a browser: it shows every operation, and neither runs nor loads anything. */
import assert from 'node:assert/strict';
import { visit } from '../support/console/visitor.ts';
import { needsBrowser } from '../support/sdks/browser.ts';
import { startSluice, type Sluice } from '../support/servers/sluice.ts';

type Document = { paths: Record<string, Record<string, { operationId: string }>> };

describe('the page of the API document', () => {
  let sluice: Sluice;
  before(async function () {
    await needsBrowser(this);
    sluice = await startSluice();
  });
  after(() => sluice?.stop());

  it('shows every operation with its fields, under a policy that allows its stylesheet alone', async () => {
    const { page, close } = await visit(sluice);
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    const answer = await page.goto('/docs/api');
    assert.match(answer!.headers()['content-security-policy']!, /^default-src 'none'; style-src 'sha256-[^']+'; form-/);
    assert.deepEqual(requests, ['/docs/api']);
    const { paths } = (await (await fetch(`${sluice.url}/api/schema/`)).json()) as Document;
    const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
    const shown = await page.locator('details').evaluateAll((all) => all.map(({ id }) => id));
    assert.deepEqual(shown.toSorted(), ids.toSorted());
    const operation = page.locator('#batch_exports_create');
    await operation.locator('summary').click();
    await operation.getByText('batch_export:write').first().waitFor();
    await operation.getByRole('link', { name: 'BatchExport' }).first().waitFor();
    const map = page.locator('#batch_exports_intervals_map_retrieve');
    await map.locator('summary').click();
    await map.getByRole('columnheader', { name: 'mark' }).waitFor();
    await map.getByRole('row', { name: 'y needs you the last run failed' }).getByText('needs_you').waitFor();
    assert.ok((await map.locator('.prose > p').count()) > 2);
    assert.doesNotMatch(await map.innerText(), /\|/);
    assert.equal(
      await page
        .locator('a[href^="#"]')
        .evaluateAll(
          (links) => links.filter((link) => !document.getElementById(link.getAttribute('href')!.slice(1))).length,
        ),
      0,
    );
    assert.notEqual(await page.evaluate(() => getComputedStyle(document.querySelector('.method')!).fontWeight), '400');
    await page.getByRole('link', { name: '/api/schema/' }).click();
    await page.waitForURL(/\/api\/schema\/$/);
    await close();
  });

  it('is for browsers: programs get the envelope', async () => {
    const json = await fetch(`${sluice.url}/docs/api`, { headers: { Accept: 'application/json' } });
    assert.equal(json.status, 404);
    const posted = await fetch(`${sluice.url}/docs/api`, { method: 'POST', headers: { Accept: 'text/html' } });
    assert.equal(posted.status, 404);
    assert.equal(((await posted.json()) as { code: string }).code, 'not_found');
  });
});
