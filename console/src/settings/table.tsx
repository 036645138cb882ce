import type { ReactNode } from 'react';
import styles from './settings.module.css';

type TableProps = {
  /** `isWide`: hidden on narrow screens, where the row repeats it below its name. */
  columns: readonly { title: string; isWide?: boolean }[];
  /** Rows, each with one more cell for its actions. */
  children: ReactNode;
};

export function Table({ columns, children }: TableProps) {
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map(({ title, isWide }) => (
            <th key={title} className={isWide ? styles.wide : undefined}>
              {title}
            </th>
          ))}
          <th>
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}
