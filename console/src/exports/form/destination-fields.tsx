/** Fields of a destination, in groups; each shows its own error. */
import { Switch, TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import {
  attrOf,
  isRelevant,
  isRequired,
  textOf,
  reentryText,
  withText,
  type Config,
  type DestinationType,
  type Field,
} from './destination-types.ts';
import styles from './form.module.css';
import { More } from './more.tsx';
import { useProblem } from './problem.ts';

type FieldsProps = {
  type: DestinationType;
  config: Config;
  onChange: (config: Config) => void;
  /** Whether the server has the secrets already; it keeps them unless new ones are typed. */
  hasSecrets: boolean;
  /** The changed field that names another receiver of the secrets. */
  moved?: Field | undefined;
  /** Fields that the integration gives. */
  integrationFields: readonly string[];
};

const GROUPS = [
  { group: 'connection', title: 'Connection' },
  { group: 'place', title: 'Place' },
  { group: 'files', title: 'Files' },
  { group: 'advanced', title: 'Advanced' },
] as const;
/** The group that is closed at first, because most exports need none of its fields. */
const CLOSED = 'advanced';

export function DestinationFields({ type, integrationFields, ...given }: FieldsProps) {
  return GROUPS.map(({ group, title }) => {
    const fields = type.fields.filter(
      (field) => field.group === group && !integrationFields.includes(field.name) && isRelevant(field, given.config),
    );
    if (fields.length === 0) return null;
    const inputs = fields.map((field) => <FieldInput key={field.name} {...given} of={field} />);
    if (group !== CLOSED)
      return (
        <fieldset key={group} className={styles.group}>
          <legend>{title}</legend>
          {inputs}
        </fieldset>
      );
    const set = fields.filter(({ name, default: usual }) => isSet(given.config[name], usual));
    return (
      <More
        key={group}
        title={title}
        attrs={fields.map(({ name }) => attrOf(name))}
        summary={set.length > 0 ? set.map((field) => field.title.toLowerCase()).join(', ') : undefined}
      >
        {inputs}
      </More>
    );
  });
}

const isSet = (value: unknown, usual: unknown) =>
  value !== undefined && value !== null && value !== '' && value !== (usual ?? false);

/** The option that means no value. */
const NONE = '';

type InputProps = Omit<FieldsProps, 'type' | 'integrationFields'> & { of: Field };

export function FieldInput({ of, config, onChange, hasSecrets, moved }: InputProps) {
  const problem = useProblem();
  const { name, title, kind, choices, nullable, secret } = of;
  const error = problem.under(attrOf(name));
  const description = moved && secret ? describeMoved(moved, isRequired(of, config)) : describe(of, hasSecrets);
  const value = config[name];
  if (kind === 'boolean')
    return (
      <Switch
        isSelected={value === true}
        onChange={(isOn) => onChange({ ...config, [name]: isOn })}
        description={description}
        error={error}
      >
        {title}
      </Switch>
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
      label={kind === 'list' ? `${title}, one per line` : title}
      value={textOf(value)}
      onChange={(text) => onChange(withText(config, of, text))}
      isRequired={isRequired(of, config) && !isKept}
      placeholder={isKept ? 'unchanged' : of.placeholder}
      description={description}
      error={error}
      autoFocus={problem.isWanted(attrOf(name))}
      autoComplete="off"
      {...(of.hidden && { type: 'password', autoComplete: 'new-password' })}
      {...(kind === 'integer' && { inputMode: 'numeric' as const })}
      {...(kind === 'list' && { lines: 3 })}
    />
  );
}

const describeMoved = (moved: Field, isNeeded: boolean): string =>
  isNeeded ? reentryText(moved) : `${moved.title} changed: a saved value is dropped unless you enter it again.`;

function describe({ secret, description }: Field, hasSecrets: boolean): string | undefined {
  if (secret) return hasSecrets ? 'Leave empty to keep the current value.' : undefined;
  return description;
}
