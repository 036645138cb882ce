/** Consequences of unsaved changes for future and past intervals. */
import { intervalWords } from '../words/interval-time.tsx';
import { CONFIG, type DestinationType } from './destination-types.ts';
import type { Difference } from './differences.ts';
import styles from './form.module.css';
import { SCHEDULE, type NextRuns } from './schedule-data.ts';

type EffectsProps = {
  differences: readonly Difference[];
  type: DestinationType | undefined;
  next: NextRuns;
  /** The runs in progress that keep the old settings, in words. */
  oldRuns: string | undefined;
};

/** Kinds of consequences; the page shows them in the order of the differences. */
type Kind = 'schedule' | 'bounds' | 'place' | 'contents' | 'hashes' | 'export';

/** Whether runs in progress would go on differently with the changes. */
export const changesRuns = (differences: readonly Difference[], type: DestinationType | undefined): boolean =>
  differences.some(({ attr }) => ['place', 'contents'].includes(kindOf(attr, type)));

/** @param intervals as `3 hours` */
export const oldSettingsWords = (intervals: string): string =>
  `Runs that are being retried keep the old settings: ${intervals}`;

export function Effects({ differences, type, next, oldRuns }: EffectsProps) {
  if (differences.length === 0) return null;
  const byKind = Map.groupBy(differences, ({ attr }) => kindOf(attr, type));
  return (
    <section className={styles.trial} aria-label="What your changes do">
      <h2>What your changes do</h2>
      {[...byKind].map(([kind, changed]) => (
        <div key={kind}>
          <ul>
            {changed.map(({ attr, what, from, to }) => (
              <li key={attr} className={styles.difference}>
                {what}: <ins>{to}</ins>{' '}
                <span className="quiet">
                  <span aria-hidden>←</span>
                  <span className="visually-hidden"> instead of</span> <del>{from}</del>
                </span>
              </li>
            ))}
          </ul>
          <p>{SENTENCES[kind](next)}</p>
        </div>
      ))}
      {oldRuns && changesRuns(differences, type) && (
        <p>{oldRuns}. “Save and retry” cancels them and delivers with the new settings.</p>
      )}
    </section>
  );
}

function kindOf(attr: string, type: DestinationType | undefined): Kind {
  if (SCHEDULE.includes(attr)) return 'schedule';
  if (attr === 'start_at' || attr === 'end_at') return 'bounds';
  if (attr === 'hash_key') return 'hashes';
  if (CONTENTS.includes(attr)) return 'contents';
  if (!attr.startsWith('destination__')) return 'export';
  const group = type?.fields.find(({ name }) => attr === CONFIG + name)?.group ?? 'connection';
  return group === 'connection' || group === 'place' ? 'place' : 'contents';
}

const CONTENTS = ['filters', 'hogql_query', 'include_columns', 'exclude_columns', 'transformations'];

const intervalOf = ({ data_interval_start: start, data_interval_end: end }: NextRuns['runs'][number]) =>
  intervalWords({ start, end });

/** Names the first run that a change applies to: the run of the data interval that ends next. */
function firstRun({ runs, last }: NextRuns): string {
  const [first] = last ? [last] : runs;
  return first ? `The next scheduled run, of ${intervalOf(first)}, is the first` : 'The next run is the first';
}

const SENTENCES: Readonly<Record<Kind, (next: NextRuns) => string>> = {
  schedule: ({ runs: [first], last }) =>
    last && first
      ? `The current interval, ${intervalOf(last)}, still ends as planned. The first new one is ${intervalOf(first)}. Earlier intervals keep their boundaries, also in backfills.`
      : 'It takes effect when the current interval ends. Earlier intervals keep their boundaries, also in backfills.',
  bounds: () => 'Intervals outside of start and end are not delivered automatically. What was delivered stays.',
  place: (next) =>
    `${firstRun(next)} to go there. Every run that starts after you save goes there too, also for an earlier interval. What was delivered stays where it is.`,
  contents: (next) =>
    `${firstRun(next)} with this change. Every run that starts after you save has it too, also for an earlier interval. What was delivered stays as it is until it is delivered again.`,
  hashes: () => 'The same values get different hashes from now on, so earlier and later deliveries no longer match.',
  export: () => 'It takes effect at once and does not affect deliveries.',
};
