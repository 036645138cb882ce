/** Notes shown instead of content: empty, loading, failed. */
import type { ReactNode } from 'react';
import { messageOf } from '../api/client.ts';
import { Button } from './button.tsx';
import styles from './notes.module.css';

/** Shown where the content will be. @param action the button or link that leads on */
export function Empty({ children, action }: { children: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p>{children}</p>
      {action && <div>{action}</div>}
    </div>
  );
}

/** A failure in the server's words, with a button to try again. */
export function Failure({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  return (
    <div className={styles.failure} role="alert">
      <p>{messageOf(error)}</p>
      {onRetry && (
        <Button kind="quiet" onPress={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}

/** The outline of content that is being loaded: as high as the content. */
export function Skeleton({ rows = 3, label = 'Loading' }: { rows?: number; label?: string }) {
  return (
    <div className={styles.skeleton} role="status" aria-label={label}>
      {Array.from({ length: rows }, (_, row) => (
        <span key={row} />
      ))}
    </div>
  );
}
