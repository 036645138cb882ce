/** Alert rules and dashboard: each alert fires for its reason and for no other, and every metric that they name exists. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { dump, load } from 'js-yaml';
import { everyMetric } from '../frozen-names/of-processes.ts';
import { needsProgram, ROOT, type Program } from '../support/deploy.ts';

const RULES = path.join(ROOT, 'deploy/prometheus/sluice.rules.yml');
const CONFIGURATION = path.join(ROOT, 'deploy/prometheus/prometheus.yml');
const DASHBOARD = path.join(ROOT, 'deploy/grafana/sluice.json');

type Rule = {
  alert: string;
  expr: string;
  labels: { severity: string };
  annotations: { summary: string; description: string };
};
type Panel = { title: string; description?: string; targets?: { expr: string }[]; panels?: Panel[] };

const { groups } = load(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const dashboard = JSON.parse(readFileSync(DASHBOARD, 'utf8')) as { uid: string; panels: Panel[] };
const panels = dashboard.panels.flatMap((panel) => [panel, ...(panel.panels ?? [])]);
const expressions = [
  ...rules.map(({ expr }) => expr),
  ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
];

const EXPORT = 'project_id="1",batch_export_id="e"';
/** Ever the same value, a sample each minute. */
const always = (value: number) => `${value}x200`;

/** An installation that is well. */
const HEALTHY = {
  'up{job="sluice-api"}': always(1),
  sluice_worker_ready: always(1),
  'sluice_capture_requests_total{status="200"}': '0+600x200',
  'sluice_capture_requests_total{status="503"}': always(0),
  'sluice_capture_requests_total{status="429"}': always(0),
  'sluice_decide_requests_total{status="200"}': '0+600x200',
  sluice_decide_failures_total: always(0),
  sluice_deliveries_blocked: always(0),
  sluice_foreign_deliveries: always(0),
  sluice_reconciler_round_age_seconds: always(20),
  sluice_reconciler_round_failures: always(0),
  [`sluice_export_lag_seconds{${EXPORT}}`]: always(60),
  'sluice_runs_total{status="Completed",destination="S3"}': '0+1x200',
  'sluice_runs_total{status="Failed",destination="S3"}': always(0),
  'sluice_open_requests{kind="retry"}': always(3),
  'sluice_notifications_waiting{channel="mail"}': always(1),
  sluice_seals_waiting: always(0),
  'sluice_seal_duration_seconds_bucket{le="0.1"}': '0+1x200',
  'sluice_seal_duration_seconds_bucket{le="30"}': '0+1x200',
  'sluice_seal_duration_seconds_bucket{le="+Inf"}': '0+1x200',
  sluice_source_oldest_transaction_seconds: always(1),
  'sluice_pool_waiting{instance="a",pool="sluice-capture"}': always(0),
  sluice_database_connections: always(100),
  sluice_database_connections_limit: always(300),
  sluice_event_partitions_days: always(80),
  sluice_database_up: always(1),
  'sluice_table_bytes{table="events"}': always(60e9),
};

const trouble = (kind: string) => ({ [`sluice_export_interval_troubles{${EXPORT},kind="${kind}"}`]: always(2) });

/** Changes of a healthy installation for which an alert, and no other, fires within three hours. */
const REASONS: Record<string, Record<string, string>> = {
  SluiceDown: { 'up{job="sluice-api"}': always(0) },
  SluiceDatabaseAway: { sluice_database_up: always(0) },
  SluiceNoWorker: { sluice_worker_ready: always(0) },
  SluiceCaptureRefuses: { 'sluice_capture_requests_total{status="503"}': '0+20x200' },
  SluiceCaptureThrottles: { 'sluice_capture_requests_total{status="429"}': '0+1x200' },
  SluiceDecideFails: { sluice_decide_failures_total: '0+1x200' },
  SluiceDeliveriesBlocked: { sluice_deliveries_blocked: always(1) },
  SluiceForeignDeliveries: { sluice_foreign_deliveries: always(1) },
  SluiceReconcilerStopped: { sluice_reconciler_round_age_seconds: '0+60x200' },
  SluiceReconcilerFails: { sluice_reconciler_round_failures: always(1) },
  SluiceExportLags: { [`sluice_export_lag_seconds{${EXPORT}}`]: always(30_000) },
  SluiceIntervalsGivenUp: trouble('gave_up'),
  SluiceIntervalsStale: trouble('stale'),
  SluiceIntervalsUnsettled: trouble('unsettled'),
  SluiceRunsFail: { 'sluice_runs_total{status="Failed",destination="S3"}': '0+1x200' },
  SluiceRequestsWait: {
    'sluice_open_requests{kind="retry"}': always(2_000),
    'sluice_runs_total{status="Completed",destination="S3"}': always(7),
  },
  SluiceNotificationsWait: { 'sluice_notifications_waiting{channel="mail"}': always(50) },
  SluiceSealsWait: { sluice_seals_waiting: always(1) },
  SluiceOldTransaction: { sluice_source_oldest_transaction_seconds: always(2_000) },
  SluicePoolExhausted: { 'sluice_pool_waiting{instance="a",pool="sluice-capture"}': always(4) },
  SluiceConnectionsRunOut: { sluice_database_connections: always(290) },
  SluicePartitionsRunOut: { sluice_event_partitions_days: always(10) },
};

const GROWN = { 'sluice_table_bytes{table="events"}': '20000000000x2016 60000000000x100' };
/** Alerts about processes that report nothing. */
const UNSEEN = ['SluiceDown', 'SluiceNoWorker'];

/** A case of `promtool test rules`: which alerts fire after so long. */
function caseOf(name: string, series: Record<string, string>, firing: string[], after = '3h', interval = '1m') {
  return {
    name,
    interval,
    input_series: Object.entries(series).map(([one, values]) => ({ series: one, values })),
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: after,
        exp_samples: firing.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      },
    ],
  };
}

describe('the alert rules', function () {
  let promtool: Program;
  before(async function () {
    const origin = 'go install github.com/prometheus/prometheus/cmd/promtool@v0.316.0';
    promtool = await needsProgram(this, 'promtool', origin);
  });

  it('and the configuration of Prometheus are ones that promtool finds nothing wrong with', () => {
    const { status, stdout, stderr } = promtool('check', 'config', CONFIGURATION);
    assert.equal(status, 0, stdout + stderr);
  });

  it('fire for their reason, and not where all is well', () => {
    const cases = [
      caseOf('healthy', HEALTHY, []),
      ...Object.entries(REASONS).map(([alert, change]) => caseOf(alert, { ...HEALTHY, ...change }, [alert])),
    ];
    // A week is long to look at each minute, so nothing but tables is reported here.
    const weeks = [caseOf('SluiceDatabaseGrows', GROWN, ['SluiceDatabaseGrows', ...UNSEEN], '172h', '5m')];
    const tested = [...cases, ...weeks].map(({ name }) => name).filter((name) => name !== 'healthy');
    assert.deepEqual(tested.sort(), rules.map(({ alert }) => alert).sort(), 'every alert has a reason here');
    const folder = mkdtempSync(path.join(tmpdir(), 'sluice-test-alerts-'));
    try {
      const files = [
        { evaluation_interval: '5m', tests: cases },
        { evaluation_interval: '15m', tests: weeks },
      ].map((one, index) => {
        const file = path.join(folder, `${index}.yml`);
        writeFileSync(file, dump({ rule_files: [RULES], ...one }));
        return file;
      });
      const { status, stdout, stderr } = promtool('test', 'rules', ...files);
      assert.equal(status, 0, stdout + stderr);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('alert rules and dashboard', () => {
  it('name metrics and labels that exist', async () => {
    const known = new Map<string, Set<string>>();
    for (const line of await everyMetric()) {
      const [, name, , label] = /^(\w+) (\w+)(?: by (\w+))?$/.exec(line)!;
      known.set(name!, (known.get(name!) ?? new Set()).add(label ?? ''));
    }
    const named = expressions.flatMap((expr) => [...expr.matchAll(/\b(sluice_\w+)(?:\{([^}]*)\})?/g)]);
    assert.ok(named.length > 40, `${named.length}`);
    for (const [text, name, selectors = ''] of named) {
      const labels = known.get(name!) ?? known.get(name!.replace(/_(bucket|sum|count)$/, ''));
      assert.ok(labels, `no metric ${name}`);
      for (const [, label] of selectors.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g))
        assert.ok(labels.has(label!) || label === 'instance', `${text}: no label ${label}`);
    }
  });

  it('ask for a severity that docs/production.md explains, and say what to do', () => {
    const paged = rules.filter(({ labels }) => labels.severity === 'page').map(({ alert }) => alert);
    const page = readFileSync(path.join(ROOT, 'docs/production.md'), 'utf8');
    for (const alert of paged) assert.ok(page.includes(`\`${alert}\``), alert);
    for (const { labels, annotations, alert } of rules) {
      assert.ok(['page', 'ticket'].includes(labels.severity), alert);
      assert.ok(annotations.summary && annotations.description.endsWith('.'), alert);
    }
  });

  it('show in the dashboard what every alert is about', () => {
    const shown = new Set(panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => namesIn(expr))));
    const missing = rules.filter(({ expr }) => !namesIn(expr).some((name) => shown.has(name)));
    assert.deepEqual(
      missing.map(({ alert }) => alert),
      [],
    );
    for (const { title } of panels) assert.ok(title, 'every panel has a title');
  });
});

function namesIn(expr: string): string[] {
  return [...expr.matchAll(/\b(?:sluice_\w+|up)\b/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, ''));
}
