/** Fields that most exports do not need: collapsed, unless a field has a value, is invalid, or is the target of a link. */
import { useState, type ReactNode } from 'react';
import styles from './form.module.css';
import { useProblem } from './problem.ts';

type MoreProps = {
  title: string;
  /** The values in a few words, shown beside the title; undefined: no field has a value. */
  summary?: string | undefined;
  /** Fields inside, as errors name them. */
  attrs: readonly string[];
  children: ReactNode;
};

export function More({ title, summary, attrs, children }: MoreProps) {
  const problem = useProblem();
  const [isOpen, setOpen] = useState(summary !== undefined);
  const isNeeded = attrs.some((attr) => problem.under(attr) !== undefined || problem.isWanted(attr));
  return (
    <details
      className={styles.group}
      open={isOpen || isNeeded}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        {title}
        {summary !== undefined && <span className={styles.summary}> {summary}</span>}
      </summary>
      <div>{children}</div>
    </details>
  );
}
