/** Checkbox with its label. It has a file of its own, because the list of exports needs no other input. */
import { Checkbox as AriaCheckbox } from 'react-aria-components';
import type { CheckProps } from '../field.tsx';
import styles from '../field.module.css';

export function Checkbox({ children, ...props }: CheckProps) {
  return (
    <AriaCheckbox {...props} className={styles.check!}>
      {({ isSelected }) => (
        <>
          <span className={styles.box} aria-hidden>
            {isSelected ? '✓' : ''}
          </span>
          {children}
        </>
      )}
    </AriaCheckbox>
  );
}
