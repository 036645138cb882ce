/** The form of an export: what, how often, where to. What the server refuses stands beside its field, and what was typed stays. */
import { useState, type FormEvent, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions } from '../../look/dialog.tsx';
import { Select, TextField } from '../../look/field.tsx';
import styles from './form.module.css';
import { configText, DESTINATIONS, INTERVALS, MODELS } from './templates.ts';

export type ExportFields = {
  name: string;
  model: 'events' | 'persons' | 'sessions';
  interval: string;
  destination: { type: string; config: Record<string, unknown> };
};

type Props = {
  initial: ExportFields;
  /** Whether it exists: then its model and type stay. */
  isEdit: boolean;
  /** Field that is to be mended, as `destination.config.directory`. */
  field?: string | undefined;
  submit: string;
  /** Label of the button that retries what failed, too; absent: nothing has. */
  submitAndRetry?: string;
  onSubmit: (fields: ExportFields, isRetried: boolean) => Promise<void>;
  children?: ReactNode;
};

const RETRY = 'retry';
const NOT_JSON = 'This is not a JSON object.';

export function ExportForm({ initial, isEdit, field, submit, submitAndRetry, onSubmit, children }: Props) {
  const [name, setName] = useState(initial.name);
  const [model, setModel] = useState(initial.model);
  const [interval, setInterval] = useState(initial.interval);
  const [type, setType] = useState(initial.destination.type);
  const [config, setConfig] = useState(configText(initial.destination.config));
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);

  function chooseType(next: string) {
    const template = DESTINATIONS.find(({ value }) => value === next);
    setType(next);
    if (template) setConfig(configText(template.config));
  }

  async function send(event: FormEvent) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const isRetried = submitter?.getAttribute('value') === RETRY;
    const parsed = objectIn(config);
    if (!parsed) return setError(new ApiError(400, { detail: NOT_JSON, attr: 'destination__config' }));
    setPending(true);
    setError(undefined);
    await onSubmit({ name, model, interval, destination: { type, config: parsed } }, isRetried).catch(setError);
    setPending(false);
  }

  const errorOf = (attr: string) => (attrOf(error)?.startsWith(attr) ? messageOf(error) : undefined);
  const isElsewhere = error !== undefined && !['name', 'interval', 'model', 'destination'].some((one) => errorOf(one));
  const intervals = INTERVALS.some(({ value }) => value === interval)
    ? INTERVALS
    : [...INTERVALS, { value: interval, label: interval }];
  return (
    <Form className={styles.form!} onSubmit={(event) => void send(event)}>
      <TextField label="Name" value={name} onChange={setName} isRequired error={errorOf('name')} autoFocus={!field} />
      <div className={styles.pair}>
        <Select
          label="What"
          options={MODELS}
          value={model}
          onChange={(value) => setModel(value as ExportFields['model'])}
          isDisabled={isEdit}
          error={errorOf('model')}
        />
        <Select
          label="Every"
          options={intervals}
          value={interval}
          onChange={setInterval}
          error={errorOf('interval')}
          {...(isEdit && { description: 'Another interval begins when the present one ends.' })}
        />
      </div>
      <Select
        label="Where to"
        options={DESTINATIONS}
        value={type}
        onChange={chooseType}
        isDisabled={isEdit}
        error={attrOf(error) === 'destination__type' ? messageOf(error) : undefined}
      />
      <TextField
        label="Fields of the destination, as JSON"
        lines={Math.min(24, config.split('\n').length + 1)}
        mono
        value={config}
        onChange={setConfig}
        autoFocus={field !== undefined}
        error={attrOf(error) === 'destination__type' ? undefined : fieldError(error)}
        description={
          isEdit
            ? `${field ? `Look at ${field.replaceAll('__', '.')}. ` : ''}Secrets are not shown, and stay unless you add them here.`
            : 'docs/destinations.md describes every field.'
        }
      />
      {isElsewhere && (
        <p role="alert" className={styles.error}>
          {messageOf(error)}
        </p>
      )}
      {children}
      <Actions>
        {submitAndRetry && (
          <Button kind="primary" type="submit" name="then" value={RETRY} isPending={isPending}>
            {submitAndRetry}
          </Button>
        )}
        <Button kind={submitAndRetry ? 'plain' : 'primary'} type="submit" isPending={isPending}>
          {submit}
        </Button>
      </Actions>
    </Form>
  );
}

const attrOf = (error: unknown) => (error instanceof ApiError ? (error.attr ?? undefined) : undefined);

/** With the name of the field inside of the configuration. */
function fieldError(error: unknown): string | undefined {
  const attr = attrOf(error);
  if (!attr?.startsWith('destination')) return undefined;
  const inside = attr.replaceAll('__', '.').replace(/^destination\.(config\.)?/, '');
  return inside === '' || inside === 'config' ? messageOf(error) : `${inside}: ${messageOf(error)}`;
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
