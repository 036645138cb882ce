import assert from 'node:assert/strict';
import { iterationStarts, stateAt, type Timetable } from '../../../../src/flags/extensions/surveys/timetable.ts';

const day = (number: number) => `2024-06-${String(number).padStart(2, '0')}T12:00:00.000000Z`;
const at = (number: number, ms = 0) => Date.parse(day(number)) + ms;
const NOT_SAMPLED = {
  response_sampling_start_date: null,
  response_sampling_interval_type: 'week' as const,
  response_sampling_interval: null,
  response_sampling_limit: null,
  sampling_paused_until: null,
};
const build = (changes: Partial<Timetable>): Timetable => ({
  start_date: day(1),
  end_date: null,
  archived: false,
  iteration_count: null,
  iteration_frequency_days: null,
  ...NOT_SAMPLED,
  ...changes,
});
const weekly = (count: number) => ({ iteration_count: count, iteration_frequency_days: 7 });

describe('time, for a survey', () => {
  for (const [what, survey, now, isRunning, iteration, endDate, dueAt] of [
    ['a draft never runs', { start_date: null, end_date: day(3) }, at(2), false, null, day(3), null],
    ['one waits for its start', {}, at(1, -1), false, null, null, day(1)],
    ['one runs from its start on', {}, at(1), true, null, null, null],
    ['one runs until its end', { end_date: day(3) }, at(3, -1), true, null, day(3), day(3)],
    ['one has ended at its end', { end_date: day(3) }, at(3), false, null, day(3), null],
    ['an archived one does not run', { archived: true }, at(2), false, null, null, null],
    ['an archived one does not start', { archived: true }, at(1, -1), false, null, null, null],
    ['the first repetition begins with it', weekly(3), at(1), true, 1, null, day(8)],
    ['the first repetition lasts its time', weekly(3), at(8, -1), true, 1, null, day(8)],
    ['the second repetition follows', weekly(3), at(8), true, 2, null, day(15)],
    ['the last repetition ends it', weekly(3), at(22), false, 3, day(22), null],
    ['its end ends repetitions', { ...weekly(3), end_date: day(10) }, at(20), false, 2, day(10), null],
    [
      'an end after the last repetition comes early',
      { ...weekly(1), end_date: day(20) },
      at(20),
      false,
      1,
      day(8),
      null,
    ],
    ['no frequency is no repetition', { iteration_count: 3 }, at(9), true, null, null, null],
    ['no count is no repetition', { ...weekly(0) }, at(9), true, null, null, null],
    [
      'an end before its start is one',
      { end_date: '2024-01-01T00:00:00.000000Z', ...weekly(2) },
      at(9),
      false,
      1,
      '2024-01-01T00:00:00.000000Z',
      null,
    ],
  ] as const) {
    it(what, () => {
      assert.deepEqual(stateAt(build(survey), now), {
        is_running: isRunning,
        current_iteration: iteration,
        end_date: endDate,
        rollout_percentage: 100,
        due_at: dueAt,
      });
    });
  }

  it('knows when each repetition begins', () => {
    assert.deepEqual(iterationStarts(build(weekly(3))), [day(1), day(8), day(15)]);
    assert.deepEqual(iterationStarts(build({ ...weekly(3), start_date: null })), []);
    assert.deepEqual(iterationStarts(build({})), []);
  });

  const sampled = {
    response_sampling_start_date: day(2),
    response_sampling_interval_type: 'week' as const,
    response_sampling_interval: 1,
    response_sampling_limit: 10,
  };
  for (const [what, survey, now, percentage, dueAt] of [
    ['nobody is asked before the first interval', sampled, at(2, -1), 0, day(2)],
    ['a seventh is asked on the first day of a week', sampled, at(2), 14.29, day(3)],
    ['more are asked on its second day', sampled, at(3), 28.57, day(4)],
    ['everybody is asked on its last day', sampled, at(9, -1), 100, day(9)],
    ['a new week begins with few', sampled, at(9), 14.29, day(10)],
    [
      'nobody is asked while the interval has its answers',
      { ...sampled, sampling_paused_until: day(9) },
      at(5),
      0,
      day(9),
    ],
    ['a new interval wants answers again', { ...sampled, sampling_paused_until: day(9) }, at(9), 14.29, day(10)],
    [
      'an end comes first',
      { ...sampled, end_date: '2024-06-05T13:00:00.000000Z' },
      at(5),
      57.14,
      '2024-06-05T13:00:00.000000Z',
    ],
    ['a month has thirty days', { ...sampled, response_sampling_interval_type: 'month' as const }, at(2), 3.33, day(3)],
    ['without a limit everybody is asked', { ...sampled, response_sampling_limit: 0 }, at(3), 100, null],
  ] as const) {
    it(`${what}, of a sampled one`, () => {
      const standing = stateAt(build(survey), now);
      assert.deepEqual([standing.rollout_percentage, standing.due_at], [percentage, dueAt]);
    });
  }
});
