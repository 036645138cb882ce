/** Answers of upstream's server, row by row, asked of ours: each row says where its expectation comes from. */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startSluice, type Sluice } from '../../../support/servers/sluice.ts';
import { askers } from './contexts.ts';
import { cohorts } from './cohorts.ts';
import { conditions } from './conditions.ts';
import { dependencies } from './dependencies.ts';
import { experiments } from './experiments.ts';
import { groups } from './groups.ts';
import { identities } from './identities.ts';
import { packed } from './packings.ts';
import { properties } from './properties.ts';
import type { Expected, Scenario } from './scenario.ts';
import { shapes } from './shapes.ts';
import { buildScenario } from './world.ts';

const TABLES: Record<string, Scenario[]> = {
  'shapes of answers': shapes,
  packings: packed,
  'condition sets': conditions,
  properties,
  groups,
  cohorts,
  dependencies,
  experiments,
  'who keeps an answer': identities,
  'who asks': askers,
};

const LEAST_ROWS = 150;
const PATIENCE_MS = 60_000;

type Answer = { status: number; body: Record<string, unknown> };
type Detail = {
  enabled: boolean;
  variant: string | null;
  reason: { code: string; condition_index: number | null };
  metadata: { payload: string | null };
};

describe('the scenarios of upstream’s answers', () => {
  let sluice: Sluice;
  before(async () => (sluice = await startSluice()));
  after(() => sluice.stop());

  for (const [about, rows] of Object.entries(TABLES)) {
    describe(about, () => {
      for (const row of rows) {
        it(row.what, async () => {
          const { apiToken } = await buildScenario(sluice.db, row);
          for (const request of row.earlier ?? []) await sendScenario({ ...row, request }, apiToken);
          const until = Date.now() + (row.quota === undefined ? 0 : PATIENCE_MS);
          for (;;) {
            try {
              return assertAnswer(await sendScenario(row, apiToken), row.expected);
            } catch (error) {
              if (Date.now() > until) throw error;
              await sleep(200);
            }
          }
        });
      }
    });
  }

  async function sendScenario(
    { path = '/flags/?v=2', method = 'POST', request = {}, headers }: Scenario,
    token: string,
  ) {
    const isSaid = typeof request === 'function';
    const body = isSaid ? request(token) : JSON.stringify({ token, distinct_id: 'ada', ...request });
    const answer = await fetch(sluice.url + path, {
      method,
      headers: { ...(!isSaid && { 'Content-Type': 'application/json' }), ...headers },
      ...(method === 'POST' && { body: body as string }),
    });
    const text = await answer.text();
    const parsed = (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>;
    return { status: answer.status, body: parsed };
  }

  it(`have ${LEAST_ROWS} rows, each with its source and a name of its own`, () => {
    const rows = Object.values(TABLES).flat();
    assert.ok(rows.length >= LEAST_ROWS, `${rows.length} rows`);
    for (const { what, source } of rows) assert.match(source, /^(?:posthog|posthog\.com|posthog-[a-z]+)\/\S/, what);
    for (const [about, group] of Object.entries(TABLES)) {
      assert.equal(new Set(group.map(({ what }) => what)).size, group.length, about);
    }
  });
});

function assertAnswer({ status, body }: Answer, expected: Expected): void {
  const { values, reasons = {}, payloads = {}, details: parts = {}, body: members = {}, without = [] } = expected;
  assert.equal(status, expected.status ?? 200, JSON.stringify(body));
  const details = (body['flags'] ?? {}) as Record<string, Detail>;
  if (values) assert.deepEqual(valuesIn(body), values);
  for (const [key, reason] of Object.entries(reasons)) {
    const { code, condition_index: index } = details[key]!.reason;
    assert.deepEqual([code, index], reason, key);
  }
  for (const [key, payload] of Object.entries(payloads)) {
    const old = body['featureFlagPayloads'] as Record<string, string> | undefined;
    assert.equal(old ? (old[key] ?? null) : details[key]!.metadata.payload, payload, key);
  }
  for (const [key, part] of Object.entries(parts)) {
    const detail = details[key] as unknown as Record<string, unknown>;
    for (const [name, value] of Object.entries(part)) assert.deepEqual(detail[name], value, `${key}.${name}`);
  }
  for (const [name, value] of Object.entries(members)) assert.deepEqual(body[name], value, name);
  assert.deepEqual(
    without.filter((name) => name in body),
    [],
  );
}

/** Values by flag, from an answer of any shape. */
function valuesIn({ flags, featureFlags }: Record<string, unknown>): Record<string, unknown> {
  if (Array.isArray(featureFlags)) return Object.fromEntries(featureFlags.map((key) => [key, true]));
  if (featureFlags) return featureFlags as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(flags as Record<string, Detail>).map(([key, { enabled, variant }]) => [
      key,
      enabled ? (variant ?? true) : false,
    ]),
  );
}
