/** The content that a link opens, and how soon it does not. */
import assert from 'node:assert/strict';
import { startSharedWorld, type Json, type SharedWorld } from '../../support/servers/shared-world.ts';
import { until } from '../../support/until.ts';

/** How long a page that was drawn is given to others. */
const KEPT_MS = 3_000;
const DOORS = ['shared', 'embedded', 'shared_dashboard'];
const VISITS = {
  kind: 'InsightVizNode',
  source: {
    kind: 'TrendsQuery',
    series: [
      {
        kind: 'EventsNode',
        event: 'secret_event_name',
        custom_name: 'Visits',
        properties: [{ key: 'email', value: 'ceo@customer.example', operator: 'exact', type: 'person' }],
      },
    ],
    dateRange: { date_from: '-3d' },
  },
};

const PASSWORD = 'correct horse';
const form = (password: string) => ({ method: 'POST', body: new URLSearchParams({ password }) });
const json = (password: string) => ({
  method: 'POST',
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify({ password }),
});
const withoutDate = (headers: Headers) => JSON.stringify([...headers].filter(([name]) => name !== 'date'));

describe('a shared link', () => {
  let world: SharedWorld;
  let id: number;

  before(async () => {
    world = await startSharedWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    id = await world.buildDashboard({ name: 'Coffee', filters: { properties: [{ key: 'plan', value: 'whale' }] } });
  });

  const visit = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(world.sluice.url + path, { redirect: 'manual', ...init });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  };
  const patch = (body: Json) => world.request('PATCH', `/dashboards/${id}/sharing/`, body);

  it('shows the dashboard on all routes, to everybody, with nothing to run or load', async () => {
    const token = await world.share(id);
    for (const door of DOORS) {
      for (const end of ['', '/', '?refresh=true&filters_override={']) {
        const { status, headers, text } = await visit(`/${door}/${token}${end}`);
        assert.equal(status, 200);
        assert.match(text, /<h1>Coffee<\/h1>/);
        const policy = headers.get('content-security-policy') ?? '';
        assert.match(policy, /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'none'; base-uri 'none'; /);
        assert.match(policy, /frame-ancestors \*$/);
        assert.equal(headers.get('x-frame-options'), null);
        assert.equal(headers.get('content-type'), 'text/html; charset=utf-8');
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.equal(headers.get('referrer-policy'), 'no-referrer');
        assert.equal(headers.get('x-content-type-options'), 'nosniff');
        assert.equal(headers.get('x-robots-tag'), 'noindex, nofollow');
        assert.equal(headers.get('access-control-allow-origin'), null);
        assert.doesNotMatch(text, /<script|<link|<iframe|\sstyle=|\son\w+=|src=/i);
      }
    }
  });

  it('is written beside it as JSON, in which nothing says how it was made and by whom', async () => {
    const insightId = await world.buildInsight({ name: 'Visits', query: VISITS });
    await world.buildTile(
      id,
      { insight_id: insightId },
      { filters_overrides: { properties: [{ key: 'x', value: 'whale' }] } },
    );
    await world.buildText(id, 'Hello');
    const elsewhere = await world.buildDashboard();
    await world.buildTile(elsewhere, { insight_id: insightId });
    const token = await world.share(id, { settings: { legend: true, noHeader: false, theme: 'dark' } });

    for (const door of DOORS) {
      const { status, text } = await visit(`/${door}/${token}.json`);
      assert.equal(status, 200);
      const { dashboard, ...others } = JSON.parse(text) as { dashboard: Json & { tiles: Json[] } };
      assert.deepEqual(others, {
        type: door === 'embedded' ? 'embed' : 'scene',
        accessToken: token,
        themes: [],
        legend: true,
        theme: 'dark',
      });
      assert.equal(dashboard['name'], 'Coffee');
      assert.deepEqual(
        [
          dashboard['effective_restriction_level'],
          dashboard['effective_privilege_level'],
          dashboard['user_access_level'],
        ],
        [37, 21, null],
      );
      assert.deepEqual([dashboard['tags'], dashboard['filters'], dashboard['created_by']], [[], {}, null]);
      assert.equal(dashboard.tiles.length, 2);
      for (const secret of ['secret_event_name', 'whale', 'ceo@customer.example', '@example.com']) {
        assert(!text.includes(secret), secret);
      }
      const insight = dashboard.tiles.find((tile) => tile['insight'])!['insight'] as Json;
      assert.deepEqual([insight['dashboards'], insight['dashboard_tiles'], insight['created_by']], [[id], [], null]);
      const untold = ['created_at', 'updated_at', 'last_modified_at', 'cache_target_age', 'resolved_date_range'];
      assert.deepEqual(
        untold.map((name) => insight[name]),
        untold.map(() => null),
      );
    }
  });

  it('returns in JSON the cells that the table of events shows, word by word', async () => {
    const batch = [
      {
        event: 'paid',
        distinct_id: 'u0',
        properties: { total: 4.5, won: true, $set: { email: 'u0@customer.example' } },
      },
    ];
    const captured = await visit('/batch/', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ api_key: world.ours.apiToken, batch }),
    });
    assert.equal(captured.status, 200);
    const select = ['person', 'event', '*', 'properties.total', 'properties.won', 'properties.none'];
    const query = { kind: 'DataTableNode', source: { kind: 'EventsQuery', select, after: '-1d' } };
    const board = await world.buildDashboard();
    await world.buildTile(board, { insight_id: await world.buildInsight({ query }) });
    const token = await world.share(board);
    const { text } = await visit(`/shared/${token}.json`);
    const { dashboard } = JSON.parse(text) as {
      dashboard: { tiles: { insight: { result: (string | number | null)[][] } }[] };
    };
    const [row = []] = dashboard.tiles[0]!.insight.result;
    assert.deepEqual([...row.slice(0, 2), ...row.slice(3)], ['u0', 'paid', 4.5, 'true', null]);
    const page = (await visit(`/shared/${token}`)).text;
    const cells = [...page.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell]) => cell!.replaceAll('&quot;', '"'));
    assert.deepEqual(
      cells,
      row.map((cell) => String(cell ?? '–')),
    );
  });

  it('is missing in one way only, whatever is wrong', async () => {
    const disabled = await world.share(id);
    await patch({ enabled: false });
    const { body } = await patch({});
    const neverEnabled = (body as { access_token: string }).access_token;
    const gone = await world.buildDashboard();
    const deleted = await world.share(gone);
    await world.sluice.db('dashboards').where({ id: gone }).update({ deleted: true });
    const old = await world.share(await world.buildDashboard());
    await world.sluice.db('sharing_configurations').where({ access_token: old }).update({ enabled: false });

    const missing = [disabled, neverEnabled, deleted, old, 'x', 'A'.repeat(30), 'A'.repeat(500), '%00', '..%2f', ''];
    const pages = await Promise.all(missing.map((token) => visit(`/shared/${token}`)));
    assert.deepEqual(new Set(pages.map(({ status }) => status)), new Set([404]));
    assert.equal(new Set(pages.map(({ text }) => text)).size, 1);
    assert.equal(new Set(pages.map(({ headers }) => withoutDate(headers))).size, 1);

    const answers = await Promise.all(missing.slice(0, 6).map((token) => visit(`/shared/${token}.json`)));
    assert.deepEqual(
      new Set(answers.map(({ text }) => text)),
      new Set(['{"type":"invalid_request","code":"not_found","detail":"Not found.","attr":null}']),
    );
  });

  it('dies at once when it is ended, its dashboard is deleted, or the organization shares nothing', async () => {
    const { db } = world.sluice;
    const organization = () => db('organizations').where({ id: world.ours.organizationId });
    const endings: [string, () => unknown, () => unknown][] = [
      ['ended', () => patch({ enabled: false }), () => undefined],
      [
        'deleted',
        () => db('dashboards').where({ id }).update({ deleted: true }),
        () => db('dashboards').where({ id }).update({ deleted: false }),
      ],
      [
        'forbidden',
        () => organization().update({ allow_publicly_shared_resources: false }),
        () => organization().update({ allow_publicly_shared_resources: true }),
      ],
    ];
    for (const [name, end, undo] of endings) {
      const token = await world.share(id);
      assert.equal((await visit(`/shared/${token}`)).status, 200, name);
      await end();
      assert.equal((await visit(`/shared/${token}`)).status, 404, name);
      assert.equal((await visit(`/shared/${token}.json`)).status, 404, name);
      await undo();
    }
  });

  it('is drawn once for those who come at once and soon after, but anew under other settings, and at each door', async () => {
    const token = await world.share(id);
    const rename = (name: string) => world.sluice.db('dashboards').where({ id }).update({ name });
    const headings = async () => {
      const pages = await Promise.all(['shared', 'shared', 'embedded'].map((door) => visit(`/${door}/${token}`)));
      return pages.map(({ text }) => /<h1[^>]*>(\w+)</.exec(text)?.[1]);
    };
    // A busy machine may need longer between two visits than pages are kept: then it is begun again, with a page that is drawn anew.
    await until('two visits at once', async () => {
      await rename('Coffee');
      let drawnAt = 0;
      await until('the first', async () => {
        drawnAt = performance.now();
        return /<h1>Coffee</.test((await visit(`/shared/${token}`)).text);
      });
      await rename('Tea');
      const seen = await headings();
      if (performance.now() - drawnAt > KEPT_MS) return false;
      assert.deepEqual(seen, ['Coffee', 'Coffee', 'Tea']);
      return true;
    });
    assert.match((await visit(`/shared/${token}.json`)).text, /"name":"Tea"/);
    await patch({ settings: { noHeader: true } });
    assert.deepEqual(await headings(), ['Tea', 'Tea', 'Tea']);
  });

  it('opens for five minutes more after it was refreshed', async () => {
    const { db } = world.sluice;
    const old = await world.share(id);
    const { body } = await world.request('POST', `/dashboards/${id}/sharing/refresh/`);
    const fresh = (body as { access_token: string }).access_token;
    for (const token of [old, fresh]) assert.equal((await visit(`/shared/${token}`)).status, 200);
    const row = await db('sharing_configurations')
      .where({ access_token: old })
      .first(db.raw('extract(epoch from expires_at - now())::int as seconds'));
    assert(row.seconds > 280 && row.seconds <= 300, String(row.seconds));
    await db('sharing_configurations').where({ access_token: old }).update({ expires_at: db.fn.now() });
    assert.deepEqual([(await visit(`/shared/${old}`)).status, (await visit(`/shared/${fresh}`)).status], [404, 200]);
  });

  it('shows a single insight, by whichever of its ids it was shared', async () => {
    const insightId = await world.buildInsight({ name: 'Visits', short_id: 'aB-_3xYz', query: VISITS });
    const byShortId = await world.request('PATCH', '/insights/aB-_3xYz/sharing/', { enabled: true });
    const { access_token: token } = byShortId.body as { access_token: string };
    const byId = await world.request('GET', `/insights/${insightId}/sharing/`);
    assert.equal((byId.body as { access_token: string }).access_token, token);
    assert.match((await visit(`/shared/${token}`)).text, /<h2>Visits<\/h2>/);
    const { text } = await visit(`/shared/${token}.json`);
    assert.equal((JSON.parse(text) as { insight: Json }).insight['name'], 'Visits');
    assert(!text.includes('secret_event_name') && !text.includes('ceo@customer.example'));
    await world.sluice.db('insights').where({ id: insightId }).update({ deleted: true });
    assert.equal((await visit(`/shared/${token}`)).status, 404);
    const gone = await world.request('GET', `/insights/${insightId}/sharing/`);
    assert.deepEqual([gone.status, (gone.body as Json)['detail']], [404, 'Insight not found.']);
  });

  it('opens nothing else', async () => {
    const token = await world.share(id);
    for (const headers of [{ Authorization: `Bearer ${token}` }, { Cookie: `posthog_sharing_token=${token}` }]) {
      const path = `/api/projects/${world.ours.projectId}/dashboards/${id}/?sharing_access_token=${token}`;
      assert.equal((await visit(path, { headers })).status, 401);
    }
  });

  it('takes only what it knows', async () => {
    const token = await world.share(id);
    assert.equal((await visit(`/shared/${token}`, { method: 'DELETE' })).status, 405);
    assert.equal((await visit(`/shared/${token}`, { method: 'POST' })).status, 405);
    const head = await visit(`/shared/${token}`, { method: 'HEAD' });
    assert.deepEqual([head.status, head.text], [200, '']);
    assert.equal((await visit(`/shared/${token}.png`)).status, 404);
  });

  describe('with a password', () => {
    let token: string;
    beforeEach(async () => {
      token = await world.share(id, { password_required: true });
      await world.request('POST', `/dashboards/${id}/sharing/passwords/`, { raw_password: PASSWORD, note: 'for Ada' });
    });

    it('reveals nothing before', async () => {
      const page = await visit(`/shared/${token}`);
      assert.equal(page.status, 200);
      assert.match(page.text, /<form method="post">/);
      assert(!page.text.includes('Coffee'));
      assert.match(page.headers.get('content-security-policy') ?? '', /form-action 'self'/);
      const { text } = await visit(`/shared/${token}.json`);
      assert.deepEqual(JSON.parse(text), { type: 'unlock', accessToken: token, themes: [] });
    });

    it('opens by a form, for this page and a day, as long as the password is', async () => {
      const wrong = await visit(`/shared/${token}`, form('wrong'));
      assert.equal(wrong.status, 401);
      assert.match(wrong.text, /Incorrect password/);
      const right = await visit(`/shared/${token}`, form(PASSWORD));
      assert.deepEqual([right.status, right.headers.get('location')], [303, `/shared/${token}`]);
      const cookie = right.headers.get('set-cookie') ?? '';
      assert.match(cookie, new RegExp(`; Max-Age=86400; Path=/shared/${token}; HttpOnly; SameSite=Lax$`));

      const headers = { Cookie: `a=b; ${cookie.split(';')[0]}` };
      assert.match((await visit(`/shared/${token}`, { headers })).text, /<h1>Coffee/);
      assert.match((await visit(`/shared/${token}`)).text, /<form/, 'also right after somebody saw it');
      const other = await world.share(await world.buildDashboard(), { password_required: true });
      assert.match((await visit(`/shared/${other}`, { headers })).text, /<form/);

      const { share_passwords: listed } = (await patch({})).body as { share_passwords: { id: number }[] };
      await world.request('DELETE', `/dashboards/${id}/sharing/passwords/${listed[0]!.id}/`);
      assert.match((await visit(`/shared/${token}`, { headers })).text, /<form/);
    });

    it('opens by JSON, and is logged with the end of the link', async () => {
      const wrong = await visit(`/shared/${token}.json`, json('wrong'));
      assert.deepEqual([wrong.status, wrong.text], [401, '{"error":"Incorrect password"}']);
      const right = await visit(`/shared/${token}`, json(PASSWORD));
      const { shareToken } = JSON.parse(right.text) as { shareToken: string };
      const headers = { Authorization: `Bearer ${shareToken}` };
      const { text } = await visit(`/shared/${token}.json`, { headers });
      assert.equal((JSON.parse(text) as { dashboard: Json }).dashboard['name'], 'Coffee');
      const forged = shareToken.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
      assert.match((await visit(`/shared/${token}`, { headers: { Authorization: `Bearer ${forged}` } })).text, /<form/);

      const rows = await world.sluice
        .db('activity_log')
        .where({ item_id: String(id) })
        .whereLike('activity', 'share_login%')
        .orderBy('created_at');
      assert.deepEqual(
        rows.map(({ activity }: Json) => activity),
        ['share_login_failed', 'share_login_success'],
      );
      const { changes } = rows[1].detail as { changes: { after: Json }[] };
      const { password_id: passwordId, ...after } = changes[0]!.after;
      assert.equal(typeof passwordId, 'number');
      assert.deepEqual(after, { link_suffix: token.slice(-6), client_ip: '127.0.0.1', password_note: 'for Ada' });
    });

    it('takes the right one however often', async () => {
      for (let n = 0; n < 7; n++)
        assert.equal((await visit(`/shared/${token}`, form(PASSWORD))).status, 303, String(n));
    });

    it('makes who guesses wait after five wrong ones, also at once', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => visit(`/shared/${token}`, json(''))));
      const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
      assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429, 429]);
      const page = await visit(`/shared/${token}`, form(PASSWORD));
      assert.equal(page.status, 429);
      assert.match(page.text, /Too many attempts/);
      assert.match(page.headers.get('retry-after') ?? '', /^\d+$/);
    });
  });
});
