/** An experiment as its users live it: made, asked for by an SDK, measured. */
import assert from 'node:assert/strict';
import { PostHog } from 'posthog-node';
import { buildPersonalKey, buildTenant, type Tenant } from '../../../support/api/identity.ts';
import { startSluice, type Sluice } from '../../../support/servers/sluice.ts';

type Results = {
  exposures: {
    total: number;
    multiple: number;
    variants: { key: string; count: number }[];
    holdout: { count: number };
  };
  metrics: { variants: { key: string; number_of_samples: number; sum: number }[] }[];
};

const PERSONS = 60;
const persons = Array.from({ length: PERSONS }, (_, i) => `person-${i}`);

describe('an experiment', () => {
  let sluice: Sluice;
  let ours: Tenant;
  let key: string;
  let posthog: PostHog;

  async function request<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${sluice.url}/api/projects/${ours.projectId}${path}`, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as T;
  }

  before(async () => {
    sluice = await startSluice();
    ours = await buildTenant(sluice.db);
    key = await buildPersonalKey(sluice.db, ours, '*');
    posthog = new PostHog(ours.apiToken, { host: sluice.url, flushAt: 1000, flushInterval: 60_000 });
  });
  after(async () => {
    await posthog.shutdown();
    await sluice.stop();
  });

  it('is decided for persons by the SDK, and reports the actions of each variant', async () => {
    const filters = [{ rollout_percentage: 20 }];
    const holdout = await request<{ id: number }>('POST', '/experiment_holdouts/', { name: 'Untouched', filters });
    const series = [{ kind: 'EventsNode', event: 'paid' }];
    const { id } = await request<{ id: number }>('POST', '/experiments/', {
      name: 'Checkout',
      feature_flag_key: 'checkout',
      holdout_id: holdout.id,
      metrics: [{ kind: 'ExperimentMetric', metric_type: 'funnel', series }],
    });
    assert.equal((await posthog.evaluateFlags('early')).getFlag('checkout'), undefined);
    await request('PATCH', `/experiments/${id}/`, { start_date: new Date(Date.now() - 60_000).toISOString() });

    const given = new Map<string, string>();
    for (const person of persons) given.set(person, String((await posthog.evaluateFlags(person)).getFlag('checkout')));
    const held = `holdout-${holdout.id}`;
    assert.deepEqual([...new Set(given.values())].sort(), ['control', held, 'test']);
    for (const person of persons.slice(0, PERSONS / 2)) posthog.capture({ distinctId: person, event: 'paid' });
    await posthog.flush();

    const { exposures, metrics } = await request<Results>('GET', `/experiments/${id}/results/`);
    const count = (variant: string, of = persons) => of.filter((person) => given.get(person) === variant).length;
    assert.equal(exposures.holdout.count, count(held));
    assert.deepEqual(
      metrics[0]!.variants.map((one) => [one.key, one.number_of_samples, one.sum]),
      ['control', 'test'].map((one) => [one, count(one), count(one, persons.slice(0, PERSONS / 2))]),
    );
    assert.equal(exposures.total, PERSONS - count(held));
  });
});
