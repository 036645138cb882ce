/** Maps of data intervals on the wire. */
import { nullable, stringEnum, Type, type Static } from '../../platform/schema.ts';
import { INTERVAL_CODES } from '../domain/interval-codes.ts';
import { RunErrorBody } from '../faults/run-error.ts';
import { REASONS } from './interval-attention.ts';

const Instant = Type.String({ format: 'date-time' });
const RunId = nullable(Type.String({ format: 'uuid' }), { description: 'The ID of the newest run of the interval.' });
const Detail = nullable(Type.String(), {
  description: 'The error of the newest run, a sentence; null if there is none.',
});

const bounds = { data_interval_start: Instant, data_interval_end: Instant };

/** The table of the codes, also in docs/exports.md. */
export const CODE_TABLE = [
  'The first letter is the fill, what the destination holds of the interval:',
  '',
  '| letter | fill | the destination holds |',
  '| --- | --- | --- |',
  '| `n` | none | nothing of it, or a delivery that a commit may have replaced in part |',
  '| `h` | held | its delivery |',
  '| `s` | stale | its delivery, and rows were added at the source after it |',
  '| `x` | expired | nothing, and it can no longer be delivered: its events are older than the project keeps them |',
  '',
  'The second letter is the mark, what happens with the interval:',
  '',
  '| letter | mark | |',
  '| --- | --- | --- |',
  '| `i` | idle | nothing, and nothing will happen by itself |',
  '| `w` | waiting | a run is requested or due, and has not started |',
  '| `r` | running | a run is in progress |',
  '| `t` | retrying | the last attempt or run failed; the next one starts automatically |',
  '| `y` | needs you | the last run failed and is not retried, or somebody has to decide; `needs_you` gives the reason |',
  '| `p` | paused | it ended during a pause and was not delivered |',
  '',
  '`hy` is a delivered interval whose re-delivery failed. `--` is blank: an interval outside of the schedule, because it ended ' +
    'before the export was created or lies outside of its `start_at` and `end_at`, and without a run.',
].join('\n');

const Code = stringEnum(INTERVAL_CODES, {
  description: 'The state of a data interval, as two letters: its fill and its mark.',
});

const Boundaries = Type.Array(
  Type.Object({
    start: Type.String({ format: 'date-time', description: 'The start of the first cell.' }),
    step_seconds: Type.Integer({ description: 'The duration of each cell.' }),
    count: Type.Integer({ minimum: 1, description: 'The number of consecutive cells with this duration.' }),
  }),
  {
    description:
      'Where the cells begin, oldest first and without gaps: one entry if all cells have the same duration, more if days, months or ' +
      'a changed interval make them differ.',
  },
);

/** Cells in run-length encoding. */
export const cells = {
  boundaries: Boundaries,
  states: Type.Array(Code, { description: 'The states of the cells in run-length encoding, oldest first.' }),
  lengths: Type.Array(Type.Integer({ minimum: 1 }), {
    description: 'How many consecutive cells have the state at the same position of `states`.',
  }),
};

export const MissedBody = Type.Object(
  {
    intervals: Type.Integer({
      minimum: 1,
      description: 'The number of missed intervals, among the newest 10,000 of the pause.',
    }),
    start_at: Type.String({ format: 'date-time', description: 'The start of the first missed interval.' }),
    end_at: Type.String({ format: 'date-time', description: 'The end of the last missed interval.' }),
  },
  {
    title: 'MissedIntervals',
    description:
      'Data intervals that ended during the latest pause and were not delivered. A backfill from `start_at` to `end_at` with `only: ' +
      'missing` delivers them, as does unpausing with `backfill`.',
  },
);

export const IntervalMapBody = Type.Object(
  {
    ...cells,
    bucket: nullable(Type.String(), {
      description: 'The bucket of the request; null if each cell is one data interval.',
    }),
    intervals: Type.Integer({ description: 'The number of data intervals in the range.' }),
    counts: Type.Record(Type.String(), Type.Integer(), {
      description: 'The number of data intervals by state, whatever the bucket. States without any are left out.',
      examples: [{ hi: 120, ny: 3 }],
    }),
    needs_you: Type.Array(
      Type.Object({
        ...bounds,
        reason: stringEnum(REASONS, {
          description:
            '`failed`: the run would fail again. `gave_up`: automatic retries have ended. `unsettled`: a run left the interval partly ' +
            'delivered, and the destination does not currently allow the cleanup. `delivered_elsewhere`: the destination holds a delivery ' +
            'of another timeline; see `foreign_deliveries/`. `would_shrink`: rows of the delivery are gone at the source. ' +
            '`not_retried`: the run failed, and the interval is not retried automatically, as in a backfill of older intervals.',
        }),
        detail: Detail,
        error: RunErrorBody,
        run_id: RunId,
      }),
      { description: 'The newest 100 intervals whose mark is `y`, newest first.' },
    ),
    retrying: Type.Array(
      Type.Object({
        ...bounds,
        next_try_at: nullable(Instant, {
          description:
            'The time of the next attempt, or from which the next run is requested, within a minute; null if it is not known.',
        }),
        detail: Detail,
        error: RunErrorBody,
        run_id: RunId,
      }),
      {
        description:
          'The newest 100 intervals whose mark is `t`, newest first; also those of runs in progress whose last attempt failed.',
      },
    ),
    missed_while_paused: nullable(MissedBody),
    history_start: nullable(Instant, {
      description:
        'The start of the oldest data interval that has a run, before or after the creation of the export; null if none has.',
    }),
  },
  { title: 'IntervalMap' },
);
export type IntervalMapBody = Static<typeof IntervalMapBody>;
