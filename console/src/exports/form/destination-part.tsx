/** Where to: the type, the credentials, and the configuration field by field or as JSON. */
import { ApiError, messageOf } from '../../api/client.ts';
import { Switch, TextField } from '../../look/field.tsx';
import { Select } from '../../look/select.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { initialConfig, promisesText, type Field, type OfferedTypes } from './destination-types.ts';
import type { Draft } from './draft.ts';
import { IntegrationField } from './integration-field.tsx';
import { configText, lineOf, objectIn } from './options.ts';
import { useProblem } from './problem.ts';

type Destination = Draft['destination'];

/** Hints for the choice of a type, where the title does not say enough. */
const CHOICE: Readonly<Record<string, string>> = {
  LocalFile: 'Files in a folder of the installation.',
  S3: 'Any S3 bucket, with or without an endpoint. Choose one of the next two to use an integration.',
  AwsS3: 'Files in an Amazon S3 bucket.',
  S3Compatible: 'Files in a bucket of another store, such as MinIO or Cloudflare R2, at its endpoint.',
  Postgres: 'Rows in a table.',
  GCS: 'Files in a bucket of Google, with a service account.',
  Iceberg: 'Rows of events in a table of a lake, through a REST catalog.',
  HTTP: 'Batches of rows to a URL, such as the capture API of another installation.',
  NoOp: 'For measuring: rows are read and counted, but not delivered.',
};

type PartProps = {
  projectId: number;
  offer: OfferedTypes;
  isEdit: boolean;
  destination: Destination;
  /** Whether the server has the secrets already. */
  hasSecrets: boolean;
  /** The changed field that names another receiver of the secrets. */
  moved: Field | undefined;
  /** Text of the JSON view; undefined: the fields are shown instead. */
  json: string | undefined;
  error: unknown;
  onChange: (destination: Destination) => void;
  onJson: (text: string | undefined) => void;
  /** Called instead of dropping a text that is no JSON object. */
  onNotJson: () => void;
};

export function DestinationPart({
  projectId,
  offer: { types },
  isEdit,
  destination,
  hasSecrets,
  moved,
  json,
  error,
  onChange,
  onJson,
  onNotJson,
}: PartProps) {
  const problem = useProblem();
  const { config, integration } = destination;
  const type = types.find((one) => one.type === destination.type);
  // A type that the installation no longer offers has no fields.
  const text = json ?? (type ? undefined : configText(config));

  /** Leaves the JSON view, and passes on its configuration. A text that is no JSON object stays in the view. */
  function withTyped(next: (config: Destination['config']) => void) {
    const typed = json === undefined ? config : objectIn(json);
    if (!typed) return onNotJson();
    onJson(undefined);
    next(typed);
  }
  function switchJson(isOn: boolean) {
    if (isOn) onJson(configText(config));
    else withTyped((typed) => onChange({ ...destination, config: typed }));
  }
  function chooseType(next: string) {
    const found = types.find((one) => one.type === next);
    withTyped((typed) =>
      onChange({ type: next, config: found ? initialConfig(found, typed) : typed, integration: null }),
    );
  }

  return (
    <>
      <Select
        label="Where to"
        options={types.map((one) => {
          const description = CHOICE[one.type];
          return { value: one.type, label: one.title, ...(description !== undefined && { description }) };
        })}
        value={destination.type}
        onChange={chooseType}
        isDisabled={isEdit}
        description={type && promisesText(type, config)}
        error={problem.at('destination__type')}
      />
      {type && (
        <IntegrationField
          projectId={projectId}
          type={type}
          value={integration}
          onChange={(chosen) => onChange({ ...destination, integration: chosen })}
        />
      )}
      {type && (
        <Switch isSelected={json !== undefined} onChange={switchJson}>
          Edit as JSON
        </Switch>
      )}
      {text === undefined && type ? (
        <DestinationFields
          type={type}
          config={config}
          onChange={(changed) => onChange({ ...destination, config: changed })}
          hasSecrets={hasSecrets}
          moved={moved}
          integrationFields={integration === null ? [] : (type.integration?.fields ?? [])}
        />
      ) : (
        <TextField
          label="Fields of the destination, as JSON"
          lines={Math.min(24, (text ?? '').split('\n').length + 1)}
          mono
          value={text ?? ''}
          onChange={onJson}
          error={jsonError(error, text ?? '')}
          description={
            <>
              {isEdit && 'Secrets are not shown, and stay unless you add them here; null drops one. '}
              <a href="/docs/api" target="_blank">
                The API’s document
              </a>{' '}
              describes every field.
            </>
          }
        />
      )}
    </>
  );
}

/** @returns the error's message after the field, named as in the text, and its line */
function jsonError(error: unknown, text: string): string | undefined {
  const attr = error instanceof ApiError ? error.attr : null;
  if (!attr?.startsWith('destination') || attr === 'destination__type' || attr === 'destination__integration')
    return undefined;
  const inside = attr.replaceAll('__', '.').replace(/^destination\.(config\.)?/, '');
  if (inside === '' || inside === 'config' || inside === 'destination') return messageOf(error);
  const line = lineOf(text, inside);
  return `${line === undefined ? '' : `Line ${line}, `}${inside}: ${messageOf(error)}`;
}
