import {
  Button as AriaButton,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
  Select as AriaSelect,
  SelectValue,
  Text,
} from 'react-aria-components';
import { DescriptionAndError, labelClass, validation, type FieldTexts } from './field.tsx';
import styles from './field.module.css';

export type Option = { value: string; label: string; description?: string };

export type SelectProps = FieldTexts & {
  options: readonly Option[];
  value: string | null;
  onChange: (value: string) => void;
  isDisabled?: boolean;
  placeholder?: string;
};

export function Select({
  label,
  isLabelHidden,
  description,
  error,
  options,
  value,
  onChange,
  isDisabled,
  placeholder,
}: SelectProps) {
  return (
    <AriaSelect
      className={styles.field!}
      value={value}
      onChange={(key) => key !== null && onChange(String(key))}
      isDisabled={isDisabled ?? false}
      {...validation(error)}
      placeholder={placeholder ?? 'Choose'}
    >
      <Label className={labelClass(isLabelHidden)}>{label}</Label>
      <AriaButton className={`${styles.input} ${styles.select}`}>
        <SelectValue className={styles.value!}>
          {({ selectedText, defaultChildren }) => selectedText || defaultChildren}
        </SelectValue>
        <span aria-hidden>▾</span>
      </AriaButton>
      <DescriptionAndError description={description} error={error} />
      <Popover className={styles.popover!}>
        <ListBox className={styles.options!} items={options.map((item) => ({ ...item, id: item.value }))}>
          {(option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={styles.option!}>
              <Text slot="label">{option.label}</Text>
              {option.description && (
                <Text slot="description" className="quiet">
                  {option.description}
                </Text>
              )}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaSelect>
  );
}
