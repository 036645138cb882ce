import { useQuery } from '@tanstack/react-query';
import { ButtonLink } from '../../look/button.tsx';
import { useNow } from '../../look/now.ts';
import { formatAgo } from '../../look/time.tsx';
import { editAddress } from '../addresses.ts';
import { countIntervals } from '../words/cadence.ts';
import { fieldWords } from '../words/field.ts';
import { failedQuery, type RunError, type RunPlace } from './run-data.ts';
import styles from './run.module.css';

const OWNERS: Record<RunError['owner'], { short: string; sentence: string }> = {
  you: { short: 'you', sentence: 'Whoever configures this export can fix it.' },
  destination: { short: 'destination', sentence: 'The destination’s operators can fix it, or it may pass by itself.' },
  sluice: { short: 'Sluice', sentence: 'The operators of this installation can fix it, or it may pass by itself.' },
};

/** The error of a run: the sentence, the people who can end it, and the field. */
export function ErrorCard({ place, error }: { place: RunPlace; error: RunError }) {
  const { short, sentence } = OWNERS[error.owner];
  const now = useNow();
  return (
    <section className={styles.card} aria-labelledby="error-title">
      <div className={styles.cardHead}>
        <h2 id="error-title">{error.detail}</h2>
        <span className={styles.owner}>{short}</span>
      </div>
      <p className="quiet">{sentence}</p>
      {error.field !== null && <Fix place={place} field={error.field} />}
      {error.next_try_at !== null && <p>The next automatic try: {formatAgo(error.next_try_at, now)}.</p>}
      <p className="quiet">
        Code <code>{error.code}</code>
      </p>
    </section>
  );
}

/** Leads to the field, and from there to all intervals that wait for it. */
function Fix({ place, field }: { place: RunPlace; field: string }) {
  const { data } = useQuery(failedQuery(place));
  const name = fieldWords(field);
  if (data && !data.canEdit) return <p>You can look at this export; ask an editor to fix {name} and retry.</p>;
  return (
    <div>
      <ButtonLink kind="primary" to={editAddress(place, field)}>
        {data && data.count > 0 ? `Fix ${name} and retry ${countIntervals(data.count, data.interval)}` : `Fix ${name}`}
      </ButtonLink>
    </div>
  );
}
