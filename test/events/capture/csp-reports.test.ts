import assert from 'node:assert/strict';
import { LIMITS } from '../../../src/events/capture/limits.ts';
import { useCapture } from '../../support/events/capture.ts';

type Row = { event: string; distinct_id: string; properties: Record<string, unknown> };

const REPORT = {
  'csp-report': {
    'document-uri': 'https://shop.example/basket',
    referrer: '',
    'violated-directive': 'script-src-elem',
    'effective-directive': 'script-src-elem',
    'original-policy': "default-src 'self'; report-uri https://sluice.example/report/",
    disposition: 'enforce',
    'blocked-uri': 'https://ads.example/ad.js',
    'line-number': 12,
    'column-number': 7,
    'source-file': 'https://shop.example/app.js',
    'status-code': 200,
    'script-sample': 'alert(1)',
  },
};
const VIOLATION = {
  type: 'csp-violation',
  age: 53_531,
  url: 'https://shop.example/basket',
  user_agent: 'Mozilla/5.0',
  body: {
    documentURL: 'https://shop.example/basket',
    referrer: '',
    effectiveDirective: 'script-src-elem',
    originalPolicy: "default-src 'self'",
    disposition: 'report',
    blockedURL: 'https://ads.example/ad.js',
    lineNumber: 12,
    columnNumber: 7,
    sourceFile: 'https://shop.example/app.js',
    statusCode: 200,
    sample: 'alert(1)',
  },
};
const AROUND = {
  $session_id: 's',
  $csp_version: '3',
  $process_person_profile: false,
  $raw_user_agent: 'Browser/1',
  $current_url: 'https://shop.example/basket',
};
const SAID = {
  $csp_report_type: 'csp-violation',
  $csp_document_url: 'https://shop.example/basket',
  $csp_referrer: '',
  $csp_violated_directive: 'script-src-elem',
  $csp_effective_directive: 'script-src-elem',
  $csp_blocked_url: 'https://ads.example/ad.js',
  $csp_line_number: 12,
  $csp_column_number: 7,
  $csp_source_file: 'https://shop.example/app.js',
  $csp_status_code: 200,
  $csp_script_sample: 'alert(1)',
};

describe('a report of a violated Content-Security-Policy', () => {
  const world = useCapture({ tenant: { anonymizeIps: true }, emptied: true });

  const stored = async () => (await world.server.pool.query<Row>('select * from events')).rows;
  const report = (
    body: unknown,
    type: string,
    query = `token=${world.tenant.apiToken}&distinct_id=u&session_id=s&v=3`,
  ) =>
    fetch(`${world.server.url}/report/?${query}`, {
      method: 'POST',
      headers: { 'Content-Type': type, 'User-Agent': 'Browser/1' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });

  it('of report-uri is an event', async () => {
    const answer = await report(REPORT, 'application/csp-report');
    assert.deepEqual([answer.status, await answer.text()], [204, '']);
    const [{ event, distinct_id: id, properties }] = (await stored()) as [Row];
    assert.deepEqual([event, id], ['$csp_violation', 'u']);
    assert.deepEqual(properties, {
      ...AROUND,
      ...SAID,
      $csp_original_policy: REPORT['csp-report']['original-policy'],
      $csp_disposition: 'enforce',
      $csp_raw_report: REPORT,
    });
    assert.equal((await world.server.pool.query('select from persons')).rowCount, 0);
  });

  it('of the Reporting API is an event, and those of other kinds beside it are none', async () => {
    const answer = await report([{ type: 'deprecation', body: {} }, VIOLATION, 7], 'application/reports+json');
    assert.equal(answer.status, 204);
    const rows = await stored();
    assert.deepEqual(
      rows.map(({ properties }) => properties),
      [
        {
          ...AROUND,
          ...SAID,
          $csp_original_policy: "default-src 'self'",
          $csp_disposition: 'report',
          $csp_user_agent: 'Mozilla/5.0',
          $csp_raw_report: VIOLATION,
        },
      ],
    );
    assert.equal((await report(VIOLATION, 'application/csp-report')).status, 204);
    assert.equal((await report([{ type: 'crash', body: {} }], 'application/reports+json')).status, 204);
    assert.equal((await stored()).length, 2);
  });

  it('with the other form’s names, or with few fields, is accepted too', async () => {
    await report(
      [{ type: 'csp-violation', url: 'https://a.example/', body: { 'blocked-uri': 'b' } }],
      'application/reports+json',
      `token=${world.tenant.apiToken}`,
    );
    const [{ distinct_id: id, properties }] = (await stored()) as [Row];
    assert.match(id, /^[0-9a-f-]{36}$/);
    assert.match(properties['$session_id'] as string, /^[0-9a-f-]{36}$/);
    const {
      $csp_document_url: page,
      $csp_blocked_url: blocked,
      $csp_line_number: line,
      $csp_version: version,
    } = properties;
    assert.deepEqual([page, blocked, line, version], ['https://a.example/', 'b', null, 'unknown']);
  });

  it('is kept as often as its sample rate says, all of a document in one minute or none', async () => {
    const reports = Array.from({ length: 400 }, (_, n) => {
      return { type: 'csp-violation', body: { documentURL: `https://shop.example/${n % 200}` } };
    });
    await report(reports, 'application/reports+json', `token=${world.tenant.apiToken}&sample_rate=0.3`);
    const pages = (await stored()).map(({ properties }) => properties['$current_url']);
    assert.equal(pages.length, 2 * new Set(pages).size);
    assert.ok(pages.length > 60 && pages.length < 180, `${pages.length} of 400`);
    for (const [rate, expected] of [
      ['0', 0],
      ['1', 2],
      ['often', 2],
      ['%20', 2],
      ['0x0', 2],
      ['NaN', 2],
      ['-1', 0],
      ['2', 2],
      ['.0', 0],
      ['0e0', 0],
    ] as const) {
      await world.server.pool.query('truncate events, event_ids');
      await report(
        [VIOLATION, VIOLATION],
        'application/reports+json',
        `token=${world.tenant.apiToken}&sample_rate=${rate}`,
      );
      assert.equal((await stored()).length, expected, rate);
    }
  });

  it('is refused without a key that a project has, when it is none, and when there is too much of it', async () => {
    const cases: [number, string, unknown, string?][] = [
      [401, 'not_authenticated', REPORT, 'v=1'],
      [401, 'not_authenticated', REPORT, 'token=phc_nobody'],
      [401, 'not_authenticated', { ...REPORT, api_key: 'phc_nobody' }, 'v=1'],
      [400, 'invalid_csp_payload', { 'csp-report': 'x' }],
      [400, 'invalid_csp_payload', { type: 'deprecation' }],
      [400, 'parse_error', 'null'],
      [400, 'parse_error', '{'],
      [413, 'payload_too_large', Array.from({ length: LIMITS.reportsPerRequest + 1 }, () => VIOLATION)],
      [413, 'payload_too_large', ' '.repeat(LIMITS.reportBytes + 1)],
    ];
    for (const [status, code, body, query] of cases) {
      const answer = await report(body, 'application/csp-report', query);
      assert.equal(answer.status, status, code);
      assert.equal(((await answer.json()) as { code: string }).code, code);
    }
    assert.deepEqual(await stored(), []);
  });
});
