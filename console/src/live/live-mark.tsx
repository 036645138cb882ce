import styles from './live-mark.module.css';
import { useIsLive } from './live-state.ts';

/** Shows whether the page follows changes as they happen. */
export function LiveMark() {
  return useIsLive() ? (
    <span className={styles.live}>
      Live <span aria-hidden>●</span>
    </span>
  ) : (
    <span className="quiet" title="There is no live connection: the page polls for changes every few seconds.">
      Not live <span aria-hidden>○</span>
    </span>
  );
}
