import type { ReactNode } from 'react';
import styles from './filters.module.css';

/** The first line of a list: its title, its filters, and at the end its main action. */
export function PageHead({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className={styles.bar}>
      <h1>{title}</h1>
      {children}
      {action && <div className={styles.end}>{action}</div>}
    </div>
  );
}
