/** The form of an export: what, how often, where to. What the server refuses stands beside its field, and what was typed stays. */
import { useState, type FormEvent } from 'react';
import { Form } from 'react-aria-components';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions } from '../../look/dialog.tsx';
import { LeaveQuestion } from '../../shell/leave-question.tsx';
import { Switch, TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { attrOf, initialConfig, type Config, type DestinationType } from './destination-types.ts';
import styles from './form.module.css';
import { configText, INTERVALS, MODELS, objectIn } from './options.ts';
import { NextRuns, type Schedule } from './next-runs.tsx';
import { Trial } from './trial.tsx';

export type ExportFields = {
  name: string;
  model: 'events' | 'persons' | 'sessions';
  interval: string;
  destination: { type: string; config: Record<string, unknown> };
};

type Props = {
  projectId: number;
  types: readonly DestinationType[];
  /** Absent: a new export. Model and type of an existing one cannot change. */
  exportId?: string;
  initial: ExportFields;
  /** Schedule of the export; absent: days begin at midnight UTC. */
  schedule?: Schedule;
  /** Field that is to be mended, as errors name it. */
  field?: string | undefined;
  submit: string;
  /** Label of the button that also retries failed intervals; absent: none failed. */
  submitAndRetry?: string;
  onSubmit: (fields: ExportFields, isRetried: boolean) => Promise<void>;
};

const RETRY = 'retry';
const NOT_JSON = 'This is not a JSON object.';
const OWN_FIELDS = ['name', 'interval', 'model', 'destination__type'];

export function ExportForm({
  projectId,
  types,
  exportId,
  initial,
  schedule,
  field,
  submit,
  submitAndRetry,
  onSubmit,
}: Props) {
  const [name, setName] = useState(initial.name);
  const [model, setModel] = useState(initial.model);
  const [interval, setInterval] = useState(initial.interval);
  const [type, setType] = useState(initial.destination.type);
  const [config, setConfig] = useState<Config>(initial.destination.config);
  /** Text of the JSON view; undefined: the fields are shown instead. */
  const [json, setJson] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  const [untouched] = useState(() => JSON.stringify([name, model, interval, type, config]));
  const isEdit = exportId !== undefined;
  const chosen = types.find((one) => one.type === type);
  // A type that the installation no longer offers has no fields.
  const text = json ?? (chosen ? undefined : configText(config));

  function chooseType(next: string) {
    const found = types.find((one) => one.type === next);
    setType(next);
    if (found) setConfig(initialConfig(found, config));
    setJson(undefined);
  }
  function switchJson(isOn: boolean) {
    if (isOn) return setJson(configText(config));
    const parsed = objectIn(json ?? '');
    if (!parsed) return setError(new ApiError(400, { detail: NOT_JSON, attr: 'destination__config' }));
    setConfig(parsed);
    setJson(undefined);
  }
  /** Returns the form as a body; undefined, with an error at the text, if that is not JSON. */
  function read(): ExportFields | undefined {
    const parsed = text === undefined ? { ...config } : objectIn(text);
    setError(parsed ? undefined : new ApiError(400, { detail: NOT_JSON, attr: 'destination__config' }));
    return parsed && { name, model, interval, destination: { type, config: parsed } };
  }
  async function send(event: FormEvent) {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const fields = read();
    if (!fields) return;
    setPending(true);
    await onSubmit(fields, submitter?.getAttribute('value') === RETRY).catch(setError);
    setPending(false);
  }

  const { config: before } = initial.destination;
  // Secrets must not be sent to another place than they were given for.
  const movesSecrets = chosen?.replaced_secrets.some((one) => config[one] !== before[one]) ?? false;

  const attr = error instanceof ApiError ? error.attr : null;
  const errorOf = (one: string) => (attr === one ? messageOf(error) : undefined);
  const isShown =
    OWN_FIELDS.includes(attr ?? '') ||
    (text === undefined ? chosen?.fields.some((one) => attrOf(one.name) === attr) : attr?.startsWith('destination'));
  const intervals = INTERVALS.some(({ value }) => value === interval)
    ? INTERVALS
    : [...INTERVALS, { value: interval, label: interval }];
  const isDirty = JSON.stringify([name, model, interval, type, json ?? config]) !== untouched;
  return (
    <Form className={styles.form!} onSubmit={(event) => void send(event)}>
      <LeaveQuestion isDirty={isDirty && !isPending} what="What you have typed" />
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
          {...(isEdit && { description: 'A new interval takes effect when the current one ends.' })}
        />
      </div>
      <NextRuns projectId={projectId} interval={interval} schedule={schedule} />
      <Select
        label="Where to"
        options={types.map((one) => ({ value: one.type, label: one.title }))}
        value={type}
        onChange={chooseType}
        isDisabled={isEdit}
        error={errorOf('destination__type')}
      />
      {chosen && (
        <Switch isSelected={json !== undefined} onChange={switchJson}>
          Edit as JSON
        </Switch>
      )}
      {text === undefined && chosen ? (
        <DestinationFields
          type={chosen}
          {...{ config, field, errorOf }}
          onChange={setConfig}
          hasSecrets={isEdit && !movesSecrets}
        />
      ) : (
        <TextField
          label="Fields of the destination, as JSON"
          lines={Math.min(24, (text ?? '').split('\n').length + 1)}
          mono
          value={text ?? ''}
          onChange={setJson}
          error={jsonError(error)}
          description={
            isEdit
              ? 'Secrets are not shown, and stay unless you add them here.'
              : 'docs/destinations.md describes every field.'
          }
        />
      )}
      {error !== undefined && !isShown && (
        <p role="alert" className={styles.error}>
          {messageOf(error)}
        </p>
      )}
      {chosen && <Trial key={type} {...{ projectId, exportId }} type={chosen} fields={read} onError={setError} />}
      {isEdit && (
        <p className="quiet">
          Runs that start from now on, including retries, use what you save. What was delivered stays where it is.
        </p>
      )}
      <Actions>
        {/* Enter in a field presses the first button. */}
        <Button kind={submitAndRetry ? 'plain' : 'primary'} type="submit" isPending={isPending}>
          {submit}
        </Button>
        {submitAndRetry && (
          <Button kind="primary" type="submit" name="then" value={RETRY} isPending={isPending}>
            {submitAndRetry}
          </Button>
        )}
      </Actions>
    </Form>
  );
}

/** Error message with the field's name inside the configuration. */
function jsonError(error: unknown): string | undefined {
  const attr = error instanceof ApiError ? error.attr : null;
  if (!attr?.startsWith('destination') || attr === 'destination__type') return undefined;
  const inside = attr.replaceAll('__', '.').replace(/^destination\.(config\.)?/, '');
  return inside === '' || inside === 'config' || inside === 'destination'
    ? messageOf(error)
    : `${inside}: ${messageOf(error)}`;
}
