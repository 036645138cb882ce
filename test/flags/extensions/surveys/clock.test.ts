import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createSurveyClock, type SurveyClock } from '../../../../src/flags/extensions/surveys/clock.ts';
import { post, startCapture, type CaptureServer } from '../../../support/events/capture.ts';
import { startSurveysApi, type SurveysApi } from '../../../support/api/surveys-api.ts';
import { thisHour } from '../../../support/hours.ts';

type Survey = {
  id: string;
  end_date: string | null;
  current_iteration: number | null;
  current_iteration_start_date: string | null;
  iteration_start_dates: string[];
  internal_targeting_flag: {
    active: boolean;
    version: number;
    filters: { groups: { rollout_percentage: number; properties: { key: string }[] }[] };
  };
};
type Figures = { total_count: number; unique_persons: number; [more: string]: unknown };
type Stats = { stats: Record<string, Figures>; rates: Record<string, number> };

/** The property whose presence keeps people out. */
const targetingProperty = (survey: Omit<Survey, 'id'>) =>
  survey.internal_targeting_flag.filters.groups[0]?.properties[0]?.key;

describe('surveys, as time passes', () => {
  let world: SurveysApi;
  let capture: CaptureServer;
  let clock: SurveyClock;
  let names = 0;

  before(async () => {
    await thisHour();
    world = await startSurveysApi();
    capture = await startCapture(world.databaseUrl);
    clock = createSurveyClock({ ...world, store: world.stores.surveys, now: world.now });
  });
  after(async () => {
    await clock.stop();
    await capture.stop();
    await world.close();
  });

  const inDays = (days: number) => new Date(world.now() + days * 86_400_000).toISOString();
  const build = (body: Record<string, unknown>) =>
    world.done<Survey>('POST', '/surveys/', { name: `Survey ${++names}`, type: 'popover', ...body });
  const get = (id: string) => world.done<Survey>('GET', `/surveys/${id}/`);

  /** Lets days pass for the surveys. The database, whose clock stands still, takes all of them for due. */
  async function pass(days: number): Promise<void> {
    world.passDays(days);
    await world.db('surveys').whereNotNull('due_at').update({ due_at: world.db.fn.now() });
    await clock.tick();
  }

  async function captureResponse(
    event: string,
    survey: string,
    distinctId: string,
    properties: object = {},
  ): Promise<void> {
    const eventProperties = { $survey_id: survey, ...properties };
    const batch = [{ event, distinct_id: distinctId, properties: eventProperties, uuid: randomUUID() }];
    assert.equal((await post(`${capture.url}/batch/`, { api_key: world.ours.apiToken, batch })).status, 200);
  }

  it('end with the answers that they were to have', async () => {
    const { id } = await build({ start_date: inDays(-1), responses_limit: 2 });
    await captureResponse('survey sent', id, 'ada', { $survey_submission_id: 'first', $survey_completed: false });
    await captureResponse('survey sent', id, 'ada', { $survey_submission_id: 'first', $survey_completed: true });
    await clock.tick();
    assert.equal((await get(id)).end_date, null);
    await captureResponse('survey sent', id, 'bob', { $survey_submission_id: 'second' });
    await clock.tick();
    const { end_date: endDate, internal_targeting_flag: flag } = await get(id);
    assert.notEqual(endDate, null);
    assert.equal(flag.active, false);
    await clock.tick();
    assert.deepEqual((await get(id)).end_date, endDate);
    const entries = await world.stores.auditLog.list(
      world.ours.projectId,
      { scope: 'Survey', itemId: id, visibleKinds: [] },
      { limit: 9, offset: 0 },
    );
    assert.deepEqual(
      entries.results.map(({ activity, userId }) => [activity, userId]),
      [
        ['updated', null],
        ['created', world.ours.userId],
      ],
    );
  });

  it('rest when an interval of their sampling has its answers, until the next', async () => {
    const today = new Date(new Date().setUTCHours(0, 0, 0, 0)).toISOString();
    const { id } = await build({
      start_date: inDays(-1),
      response_sampling_start_date: today,
      response_sampling_interval_type: 'day',
      response_sampling_interval: 1,
      response_sampling_limit: 1,
    });
    const share = async () => (await get(id)).internal_targeting_flag.filters.groups[0]?.rollout_percentage;
    assert.equal(await share(), 100);
    await captureResponse('survey sent', id, 'ada');
    await clock.tick();
    assert.equal(await share(), 0);
    await world.done('PATCH', `/surveys/${id}/`, { name: 'Still resting' });
    assert.equal(await share(), 0);
    await world.done('PATCH', `/surveys/${id}/`, { response_sampling_limit: 2 });
    assert.equal(await share(), 100);
    await captureResponse('survey sent', id, 'bob');
    await clock.tick();
    assert.equal(await share(), 0);
    await pass(1);
    assert.equal(await share(), 100);
  });

  it('count how they were answered', async () => {
    const { id } = await build({ start_date: inDays(-1) });
    for (const person of ['p1', 'p2', 'p3', 'p4']) await captureResponse('survey shown', id, person);
    await captureResponse('survey shown', id, 'p1');
    await captureResponse('survey dismissed', id, 'p1');
    await captureResponse('survey dismissed', id, 'p2');
    await captureResponse('survey dismissed', id, 'p4', { $survey_partially_completed: true });
    await captureResponse('survey sent', id, 'p1', { $survey_submission_id: 's1' });
    await captureResponse('survey sent', id, 'p3', { $survey_submission_id: 's3' });
    await captureResponse('survey sent', id, 'p3', { $survey_submission_id: 's3' });
    await captureResponse('survey sent', randomUUID(), 'p3');
    const { stats, rates } = await world.done<Stats>('GET', `/surveys/${id}/stats/`);
    const counts = Object.entries(stats).map(([event, one]) => [event, one.total_count, one.unique_persons]);
    assert.deepEqual(counts, [
      ['survey shown', 5, 4],
      ['survey dismissed', 2, 1],
      ['survey sent', 2, 2],
    ]);
    assert.equal(stats['survey shown']!['unique_persons_only_seen'], 1);
    assert.deepEqual(rates, {
      response_rate: 40,
      dismissal_rate: 40,
      unique_users_response_rate: 50,
      unique_users_dismissal_rate: 25,
    });
    const never = await world.done<Stats>('GET', `/surveys/${id}/stats/?date_from=-2d&date_to=-1d`);
    assert.equal(never.stats['survey sent']?.total_count, 0);
    assert.equal((await world.refused('GET', `/surveys/${id}/stats/?date_from=soon`)).attr, 'date_from');
    const all = await world.done<Record<string, number>>('GET', '/surveys/responses_count/');
    assert.equal(all[id], 2);
    const together = await world.done<Stats>('GET', '/surveys/stats/');
    assert.ok(together.stats['survey sent']!.total_count >= 4);
  });

  it('start and end at their dates', async () => {
    const { id } = await build({ start_date: inDays(1), end_date: inDays(3) });
    const isActive = async () => (await get(id)).internal_targeting_flag.active;
    assert.equal(await isActive(), false);
    await pass(2);
    assert.equal(await isActive(), true);
    await pass(2);
    assert.equal(await isActive(), false);
  });

  it('come again, to those who have answered, too', async () => {
    const { id, ...first } = await build({ start_date: inDays(0), iteration_count: 2, iteration_frequency_days: 7 });
    assert.deepEqual([first.current_iteration, targetingProperty(first)], [1, `$survey_dismissed/${id}/1`]);
    await pass(8);
    const second = await get(id);
    assert.deepEqual([second.current_iteration, targetingProperty(second)], [2, `$survey_dismissed/${id}/2`]);
    assert.equal(second.current_iteration_start_date, second.iteration_start_dates[1]);
    const { detail } = await world.refused('PATCH', `/surveys/${id}/`, { iteration_count: 1 });
    assert.match(detail, /at least 2/);
    await pass(7);
    const over = await get(id);
    assert.deepEqual([over.current_iteration, over.internal_targeting_flag.active], [2, false]);
    assert.notEqual(over.end_date, null);
    await pass(1);
    assert.deepEqual(await get(id), over);
  });
});
