import type { ReactNode } from 'react';
import { FieldError, Group, Input, Label, NumberField, Text } from 'react-aria-components';
import styles from '../look/field.module.css';
import { validation } from '../look/field.tsx';

export type PercentFieldProps = {
  label: string;
  /** Whether the label is for screen readers only, because the text next to the field explains it. */
  isLabelHidden?: boolean;
  description?: ReactNode;
  error?: string | undefined;
  /** 0 to 100. */
  value: number;
  onChange: (value: number) => void;
  isDisabled?: boolean;
};

/** A percentage from 0 to 100; arrow keys change it by one. */
export function PercentField(props: PercentFieldProps) {
  const { label, isLabelHidden = false, description, error, value, onChange, isDisabled = false } = props;
  return (
    <NumberField
      className={styles.field!}
      value={value}
      // An empty field is not a number, and keeps the old value.
      onChange={(next) => !Number.isNaN(next) && onChange(next)}
      minValue={0}
      maxValue={100}
      formatOptions={{ maximumFractionDigits: 4 }}
      isDisabled={isDisabled}
      {...validation(error)}
      isWheelDisabled
    >
      <Label className={isLabelHidden ? 'visually-hidden' : styles.label!}>{label}</Label>
      <Group className={styles.percent!}>
        <Input className={`${styles.input} ${styles.percentInput}`} />
        <span aria-hidden>%</span>
      </Group>
      {description && (
        <Text slot="description" className={styles.description!}>
          {description}
        </Text>
      )}
      <FieldError className={styles.error!}>{error}</FieldError>
    </NumberField>
  );
}
