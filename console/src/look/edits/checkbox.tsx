/** Checkbox with its label. Apart from the other inputs, because the list of exports needs only this one. */
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
