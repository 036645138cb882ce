/** Why intervals are not delivered: a paragraph for each cause, with the people who can end it, the field, and a link to the field. */
import { useNow } from '../../look/now.ts';
import { isToday, Time } from '../../look/time.tsx';
import { countIntervals } from '../words/cadence.ts';
import { fieldWords, valueAt, valueWords } from '../words/field.ts';
import { ErrorLinks, isFixable, nextTry } from '../words/error-links.tsx';
import { ownerSentence } from '../words/owner.ts';
import type { ExportBody } from './export-data.ts';
import { isNamedHeld, type IntervalMap } from './interval-map.ts';
import styles from './export.module.css';

type NeedsYou = IntervalMap['needs_you'][number];
type Retrying = IntervalMap['retrying'][number];
type Entry = NeedsYou | Retrying;

/** Causes that are shown; the grid has all intervals. */
const SHOWN = 3;

/** Sentences that complete the error of the destination, by reason. */
const NOTES: Readonly<Partial<Record<NeedsYou['reason'], string>>> = {
  unsettled: 'A run left it partly delivered, and the destination does not allow the cleanup at the moment.',
  gave_up: 'Automatic retries have ended.',
  not_retried: 'It is not retried automatically.',
};

type Props = { projectId: number; one: ExportBody; map: IntervalMap; mayEdit: boolean | undefined };

const reasonOf = (entry: Entry): string => ('reason' in entry ? entry.reason : '');

export function Troubles({ projectId, one, map, mayEdit }: Props) {
  // A cause is a sentence, a reason, and whether earlier deliveries stand. Deliveries of another timeline have a list of their own.
  const needing = map.needs_you.filter(({ reason }) => reason !== 'delivered_elsewhere');
  const hasEarlier = (entry: Entry) => isNamedHeld(map, entry) && reasonOf(entry) !== 'unsettled';
  const keyOf = (entry: Entry) => `${isRetried(entry)} ${entry.detail} ${reasonOf(entry)} ${hasEarlier(entry)}`;
  const causes = [needing, map.retrying].flatMap((entries) => [...Map.groupBy<string, Entry>(entries, keyOf).values()]);
  if (causes.length === 0 || mayEdit === undefined) return null;
  return (
    <section className={styles.troubles} aria-label="Why intervals are not delivered">
      {causes.slice(0, SHOWN).map((entries) => (
        <Cause
          key={keyOf(entries[0]!)}
          {...{ projectId, one, entries, mayEdit }}
          isCut={namesOnlySome(map, entries[0]!)}
          hasEarlier={hasEarlier(entries[0]!)}
        />
      ))}
      {causes.length > SHOWN && <p className="quiet">Other intervals have other errors: select them in the grid.</p>}
    </section>
  );
}

const isRetried = (entry: Entry): entry is Retrying => 'next_try_at' in entry;

/** Whether the map names only the newest of the intervals with the mark. */
function namesOnlySome({ counts, needs_you, retrying }: IntervalMap, entry: Entry): boolean {
  const [mark, named] = isRetried(entry) ? ['t', retrying.length] : ['y', needs_you.length];
  return [...counts].reduce((sum, [code, count]) => sum + (code[1] === mark ? count : 0), 0) > named;
}

type CauseProps = Omit<Props, 'map' | 'mayEdit'> & {
  entries: readonly Entry[];
  mayEdit: boolean;
  isCut: boolean;
  hasEarlier: boolean;
};

function Cause({ projectId, one, entries, mayEdit, isCut, hasEarlier }: CauseProps) {
  const now = useNow();
  const newest = entries[0]!;
  const since = entries.at(-1)!.data_interval_start;
  const { detail, error, run_id: runId } = newest;
  const note = 'reason' in newest ? NOTES[newest.reason] : nextTry(firstTry(entries), now);
  const value = error?.field && valueAt(one, error.field);
  return (
    <div data-retried={isRetried(newest) || undefined}>
      <p>
        <strong>
          {isCut && 'At least '}
          {countIntervals(entries.length, one.interval)} {isRetried(newest) ? 'retrying' : 'not delivered'}
          {hasEarlier && !isRetried(newest) && ' again'}
        </strong>
        {' since '}
        <Time iso={since} date={!isToday(since)} />.{' '}
        {hasEarlier && `The earlier ${entries.length === 1 ? 'delivery stands' : 'deliveries stand'}. `}
        {detail ?? (note ? '' : 'The run failed.')} {note}{' '}
        <ErrorLinks
          of={{ projectId, exportId: one.id }}
          name={one.name}
          error={{ field: error?.field ?? null, runId, canFix: isFixable(error) }}
          canEdit={mayEdit}
        />
      </p>
      {error && (
        <p className="quiet">
          {error.field && (
            <>
              Field: {fieldWords(error.field)}
              {value !== undefined && (
                <>
                  {' '}
                  <code>{valueWords(value)}</code>
                </>
              )}
              {'. '}
            </>
          )}
          {ownerSentence(error)}
        </p>
      )}
    </div>
  );
}

/** @returns ISO; null: none is known */
function firstTry(entries: readonly Entry[]): string | null {
  return entries.flatMap((one) => (isRetried(one) && one.next_try_at) || []).sort()[0] ?? null;
}
