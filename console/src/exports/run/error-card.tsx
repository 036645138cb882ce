import { Link } from '@tanstack/react-router';
import { formatAgo } from '../../look/time.tsx';
import type { RunError, RunPlace } from './run-data.ts';
import styles from './run.module.css';

const OWNERS: Record<RunError['owner'], { short: string; sentence: string }> = {
  you: { short: 'you', sentence: 'Whoever configures this export can mend it.' },
  destination: { short: 'destination', sentence: 'The destination’s operators, or time, can mend it.' },
  sluice: { short: 'Sluice', sentence: 'The operators of this installation, or time, can mend it.' },
};

/** The error of a run: the sentence, who can mend it, and in which field. */
export function ErrorCard({ place, error }: { place: RunPlace; error: RunError }) {
  const { short, sentence } = OWNERS[error.owner];
  return (
    <section className={styles.card} aria-labelledby="error-title">
      <div className={styles.cardHead}>
        <h2 id="error-title">{error.detail}</h2>
        <span className={styles.owner}>{short}</span>
      </div>
      <p className="quiet">{sentence}</p>
      {error.field !== null && (
        <p>
          Field <code>{error.field.replaceAll('__', '.')}</code>{' '}
          <Link to="/project/$projectId/exports/$exportId/edit" params={place} search={{ field: error.field }}>
            Fix
          </Link>
        </p>
      )}
      {error.next_try_at !== null && <p>Tried again automatically: {formatAgo(error.next_try_at)}.</p>}
      <p className="quiet">
        Code <code>{error.code}</code>
      </p>
    </section>
  );
}
