import { Link } from '@tanstack/react-router';
import styles from './filters.module.css';

type Choice = { value: string; label: string };

export type ChoiceLinksProps = {
  label: string;
  /** Of the address's query. */
  name: string;
  /** Undefined: all. */
  value: string | undefined;
  choices: readonly Choice[];
  /** The word for no choice. */
  all?: string;
};

/** One filter of a list as links beside each other: each choice has an address of its own. */
export function ChoiceLinks({ label, name, value, choices, all = 'All' }: ChoiceLinksProps) {
  const shown: readonly { value: string | undefined; label: string }[] = [{ value: undefined, label: all }, ...choices];
  return (
    <nav aria-label={label} className={styles.choices}>
      {shown.map((choice) => (
        <Link
          key={choice.label}
          to="."
          // The page of a list is one of the filter before.
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
