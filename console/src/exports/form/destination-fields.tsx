/** Fields of a destination, in groups; each shows its own error. */
import { useMemo } from 'react';
import { Switch, TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { attrOf, textOf, withText, type Config, type DestinationType, type Field } from './destination-types.ts';
import styles from './form.module.css';

type FieldsProps = {
  type: DestinationType;
  config: Config;
  onChange: (config: Config) => void;
  /** Whether the server has the secrets already, which stay unless new ones are typed. */
  hasSecrets: boolean;
  /** The field to correct, by its name in errors. */
  field: string | undefined;
  errorOf: (attr: string) => string | undefined;
};

const GROUPS = [
  { group: 'connection', title: 'Connection' },
  { group: 'place', title: 'Place' },
  { group: 'files', title: 'Files' },
  { group: 'events', title: 'Events' },
  { group: 'advanced', title: 'Advanced' },
] as const;
/** Groups that are closed at first, because most exports need none of their fields. */
const CLOSED: readonly string[] = ['events', 'advanced'];

export function DestinationFields({ type, ...given }: FieldsProps) {
  const byGroup = useMemo(() => Map.groupBy(type.fields, ({ group }) => group), [type]);
  return GROUPS.map(({ group, title }) => {
    const fields = byGroup.get(group) ?? [];
    const inputs = fields.map((field) => <FieldInput key={field.name} {...given} of={field} />);
    if (inputs.length === 0) return null;
    if (!CLOSED.includes(group))
      return (
        <fieldset key={group} className={styles.group}>
          <legend>{title}</legend>
          {inputs}
        </fieldset>
      );
    const isWanted = fields.some(({ name }) => given.errorOf(attrOf(name)) ?? given.field === attrOf(name));
    return (
      <details key={group} className={styles.group} open={isWanted || undefined}>
        <summary>{title}</summary>
        <div>{inputs}</div>
      </details>
    );
  });
}

/** Stands for no value in a choice. */
const NONE = '';

type InputProps = Omit<FieldsProps, 'type'> & { of: Field };

function FieldInput({ of, config, onChange, hasSecrets, field, errorOf }: InputProps) {
  const { name, title, kind, choices, nullable, secret } = of;
  const error = errorOf(attrOf(name));
  const description = describe(of, hasSecrets);
  const value = config[name];
  if (kind === 'boolean')
    return (
      <div>
        <Switch isSelected={value === true} onChange={(isOn) => onChange({ ...config, [name]: isOn })}>
          {title}
        </Switch>
        {description && <p className="quiet">{description}</p>}
        {error && (
          <p role="alert" className={styles.error}>
            {error}
          </p>
        )}
      </div>
    );
  if (kind === 'choice')
    return (
      <Select
        label={title}
        options={[
          ...(nullable ? [{ value: NONE, label: 'none' }] : []),
          ...choices.map((one) => ({ value: one, label: one })),
        ]}
        value={typeof value === 'string' ? value : NONE}
        onChange={(chosen) => onChange({ ...config, [name]: chosen === NONE ? null : chosen })}
        description={description}
        error={error}
      />
    );
  const isKept = secret && hasSecrets;
  return (
    <TextField
      label={title}
      value={textOf(value)}
      onChange={(text) => onChange(withText(config, of, text))}
      isRequired={of.required && !isKept}
      placeholder={isKept ? 'unchanged' : of.placeholder}
      description={description}
      error={error}
      autoFocus={field === attrOf(name)}
      autoComplete="off"
      {...(secret && { type: 'password', autoComplete: 'new-password' })}
      {...(kind === 'integer' && { inputMode: 'numeric' as const })}
      {...(kind === 'list' && { lines: 3 })}
    />
  );
}

function describe({ secret, kind, description }: Field, hasSecrets: boolean): string | undefined {
  if (secret) return hasSecrets ? 'Leave empty to keep the current value.' : undefined;
  if (kind === 'list') return 'One name per line. Leave empty for no restriction.';
  return description;
}
