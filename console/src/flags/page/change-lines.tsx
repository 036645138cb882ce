import type { ChangeLine } from '../words/changes.ts';
import styles from './flag-page.module.css';

/** `Set 2: 20 % ← 10 %`: the new value first, as it is what counts. */
export function ChangeLines({ lines }: { lines: readonly ChangeLine[] }) {
  return (
    <ul className={styles.lines}>
      {lines.map(({ what, from, to }) => (
        <li key={what}>
          {what}: <ins>{to}</ins>{' '}
          <span className="quiet">
            <span aria-hidden>←</span>
            <span className="visually-hidden"> instead of</span> <del>{from}</del>
          </span>
        </li>
      ))}
    </ul>
  );
}
