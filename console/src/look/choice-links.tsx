import { Link } from '@tanstack/react-router';
import styles from './filters.module.css';

type Choice = { value: string; label: string };

export type ChoiceLinksProps = {
  label: string;
  /** Name of the query parameter. */
  name: string;
  /** Undefined: all. */
  value: string | undefined;
  choices: readonly Choice[];
  /** Label of the link that clears the filter. */
  all?: string;
};

/** One filter of a list as a row of links; each choice has its own address. */
export function ChoiceLinks({ label, name, value, choices, all = 'All' }: ChoiceLinksProps) {
  const shown: readonly { value: string | undefined; label: string }[] = [{ value: undefined, label: all }, ...choices];
  return (
    <nav aria-label={label} className={styles.choices}>
      {shown.map((choice) => (
        <Link
          key={choice.label}
          to="."
          // Pages are numbered within a filter, so a new filter begins at the first.
          search={((now: object) => ({ ...now, page: undefined, [name]: choice.value })) as never}
          aria-current={choice.value === value ? 'true' : undefined}
          className={styles.choice}
          activeProps={{}}
          replace
        >
          {choice.label}
        </Link>
      ))}
    </nav>
  );
}
