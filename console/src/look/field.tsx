/** Labelled inputs with a description and an error below them. */
import { useId, type ReactNode } from 'react';
import {
  FieldError,
  Input,
  Label,
  Switch as AriaSwitch,
  Text,
  TextArea,
  TextField as AriaTextField,
  type TextFieldProps as AriaTextFieldProps,
} from 'react-aria-components';
import styles from './field.module.css';

export type FieldTexts = {
  label: string;
  /** Whether the label is for screen readers only, because the text next to the field explains it. */
  isLabelHidden?: boolean;
  description?: ReactNode;
  error?: string | undefined;
};

/** Props that show the error of the last answer. Native validation would keep the browser from sending the form again. */
export const validation = (error: string | undefined) =>
  ({ isInvalid: error !== undefined, validationBehavior: error === undefined ? 'native' : 'aria' }) as const;

export const labelClass = (isHidden = false) => (isHidden ? 'visually-hidden' : styles.label!);

export type TextFieldProps = Omit<AriaTextFieldProps, 'children'> &
  FieldTexts & { placeholder?: string | undefined; lines?: number; mono?: boolean; suggestions?: readonly string[] };

/** @param props `lines`: more than one makes it a text area; `suggestions`: texts that the browser offers during typing */
export function TextField({
  label,
  isLabelHidden,
  description,
  error,
  placeholder,
  lines = 1,
  mono,
  suggestions,
  ...props
}: TextFieldProps) {
  const list = useId();
  const input = `${styles.input} ${mono ? styles.mono : ''}`;
  return (
    <AriaTextField {...props} {...validation(error)} className={styles.field!}>
      <Label className={labelClass(isLabelHidden)}>{label}</Label>
      {lines > 1 ? (
        <TextArea
          rows={lines}
          className={input}
          {...(placeholder !== undefined && { placeholder })}
          spellCheck={false}
        />
      ) : (
        <Input
          className={input}
          {...(placeholder !== undefined && { placeholder })}
          {...(suggestions && { list })}
          spellCheck={false}
        />
      )}
      {suggestions && (
        <datalist id={list}>
          {suggestions.map((suggestion) => (
            <option key={suggestion}>{suggestion}</option>
          ))}
        </datalist>
      )}
      <DescriptionAndError description={description} error={error} />
    </AriaTextField>
  );
}

export type CheckProps = {
  children: ReactNode;
  isSelected: boolean;
  onChange: (isSelected: boolean) => void;
  isDisabled?: boolean;
};

/** A switch has no slots for texts, unlike a text field, so it is described by `aria-describedby`. */
export function Switch({
  children,
  description,
  error,
  ...props
}: CheckProps & Pick<FieldTexts, 'description' | 'error'>) {
  const textsId = useId();
  const isExplained = description !== undefined || error !== undefined;
  const control = (
    <AriaSwitch {...props} {...(isExplained && { 'aria-describedby': textsId })} className={styles.check!}>
      <span className={styles.track} aria-hidden>
        <span className={styles.thumb} />
      </span>
      {children}
    </AriaSwitch>
  );
  if (!isExplained) return control;
  return (
    <div data-invalid={error !== undefined || undefined}>
      {control}
      <div id={textsId}>
        {description && <p className={styles.description}>{description}</p>}
        {error && <p className={styles.error}>{error}</p>}
      </div>
    </div>
  );
}

export function DescriptionAndError({ description, error }: Pick<FieldTexts, 'description' | 'error'>) {
  return (
    <>
      {description && (
        <Text slot="description" className={styles.description!}>
          {description}
        </Text>
      )}
      <FieldError className={styles.error!}>{error}</FieldError>
    </>
  );
}
