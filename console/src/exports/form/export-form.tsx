/** The form of an export: what, how often, where to. Errors of the server appear at their fields, and the input is kept. */
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { ApiError, messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions } from '../../look/dialog.tsx';
import { LeaveQuestion } from '../../shell/leave-question.tsx';
import { TextField } from '../../look/field.tsx';
import { Form } from '../../look/edits/form.tsx';
import { Select } from '../../look/select.tsx';
import { useMedia } from '../use-media.ts';
import { Conflict } from './conflict.tsx';
import { ContentFields } from './content/content-fields.tsx';
import { DeliveryFields, NotificationFields } from './delivery-fields.tsx';
import { DestinationPart } from './destination-part.tsx';
import {
  attrOf,
  keepsSecrets,
  missingField,
  movedField,
  reentryText,
  dropSecrets,
  type OfferedTypes,
} from './destination-types.ts';
import { differencesBetween } from './differences.ts';
import { changedFields, draftFrom, fieldsOf, isSame, type Draft, type Fields } from './draft.ts';
import { Effects } from './effects.tsx';
import styles from './form.module.css';
import { NextRuns } from './next-runs.tsx';
import { MODELS, objectIn, whyNoObject } from './options.ts';
import { filterFault, ProblemContext, problemOf } from './problem.ts';
import { IntervalField, ScheduleFields } from './schedule-fields.tsx';
import { useNextRuns } from './schedule-data.ts';
import { Trial } from './trial.tsx';

/** An export as saved on the server, with its ETag, and what its latest failure says about a field. */
export type Saved = { draft: Draft; etag: string | null; failure?: ApiError | undefined };

/** Another person saved the export since the form was loaded. */
export class ChangedMeanwhile extends Error {
  readonly theirs: Saved;
  constructor(theirs: Saved) {
    super('Somebody saved this export meanwhile.');
    this.theirs = theirs;
  }
}

export type Submission = {
  fields: Fields;
  /** The saved export that the changes are relative to. */
  base: Saved;
  retries: boolean;
  /** Called once the changes are saved, even if a later step fails. */
  onSaved: (saved: Saved) => void;
};

type Props = {
  projectId: number;
  offer: OfferedTypes;
  /** Absent: a new export. Model and type of an existing one cannot change. */
  exportId?: string;
  initial: Saved;
  /** Field to correct, by its name in errors. */
  field?: string | undefined;
  saveLabel: string;
  /** Label of the button that also retries failed and retrying intervals; absent: there are none. */
  submitAndRetry?: string;
  /** The runs in progress that keep the old settings unless they are retried, in words. */
  oldRuns?: string | undefined;
  /** @throws ChangedMeanwhile */
  onSubmit: (submission: Submission) => Promise<void>;
};

const RETRY = 'retry';
/** Matches invalid fields and errors, except in a trial, which shows its own. */
const INVALID = `[data-invalid] :is(input, textarea, button), [role=alert]:not(.${styles.trial} *)`;

export function ExportForm(props: Props) {
  const { projectId, offer, exportId, initial, field, saveLabel, submitAndRetry, oldRuns, onSubmit } = props;
  const [base, setBase] = useState(initial);
  const [draft, setDraft] = useState(initial.draft);
  /** Text of the JSON view; undefined while the fields are shown. */
  const [json, setJson] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isPending, setPending] = useState(false);
  /** Why the retry failed whose changes were saved. */
  const [retryError, setRetryError] = useState<unknown>();
  const [conflict, setConflict] = useState<{ theirs: Saved; ours: Fields; retries: boolean }>();
  const form = useRef<HTMLFormElement>(null);
  // As in form.module.css.
  const isWide = useMedia('(min-width: 1400px)');
  const isEdit = exportId !== undefined;
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }));
  const { destination } = draft;
  const type = offer.types.find((one) => one.type === destination.type);
  const model = offer.models.find((one) => one.model === draft.model)!;

  const moved = isEdit && type ? movedField(type, destination, base.draft.destination) : undefined;
  const config = moved && type ? dropSecrets(type, destination.config) : destination.config;
  /** Undefined while the JSON view holds no object; `fields` then have the configuration from before that view. */
  const parsed = json === undefined ? config : objectIn(json);
  const fields = fieldsOf(parsed ? { ...draft, destination: { ...destination, config: parsed } } : draft, type);
  const before = fieldsOf(base.draft, type);
  const differences = differencesBetween(before, fields, type);
  const next = useNextRuns(projectId, fields, isEdit ? before : undefined);

  const hasSecrets = isEdit && type !== undefined && keepsSecrets(type, destination, base.draft.destination);

  /** @returns the first fault of the destination that needs no server to find */
  function destinationFault(): ApiError | undefined {
    if (!parsed) return new ApiError(400, { detail: whyNoObject(json ?? ''), attr: 'destination__config' });
    const missing = json === undefined && type ? missingField(type, destination, hasSecrets) : undefined;
    const detail = moved && missing?.secret ? reentryText(moved) : 'This field is required.';
    return missing && new ApiError(400, { detail, attr: attrOf(missing.name) });
  }
  function fieldsUnless(found: ApiError | undefined): Fields | undefined {
    setError(found);
    return found ? undefined : fields;
  }
  const validFields = () => fieldsUnless(filterFault(draft.filters) ?? destinationFault());
  async function save(given: Fields, from: Saved, retries: boolean) {
    setPending(true);
    let saved: Saved | undefined;
    const onSaved = (now: Saved) => setBase((saved = now));
    await onSubmit({ fields: given, base: from, retries, onSaved }).catch((thrown: unknown) => {
      if (thrown instanceof ChangedMeanwhile) setConflict({ theirs: thrown.theirs, ours: given, retries });
      else setError(thrown);
      if (saved && retries) setRetryError(thrown);
    });
    setPending(false);
  }
  function send({ nativeEvent }: FormEvent) {
    const { submitter } = nativeEvent as SubmitEvent;
    const given = validFields();
    if (given) void save(given, base, submitter?.getAttribute('value') === RETRY);
  }
  /** Restarts from another person's version, and applies this form's changes to it. */
  function rebaseOn(theirs: Saved, ours: Fields | undefined): Fields {
    const now = fieldsOf(theirs.draft, type);
    const own = ours ? changedFields(before, ours).map((name) => [name, ours[name]] as const) : [];
    const both = { ...now, ...Object.fromEntries(own) };
    setBase(theirs);
    setDraft(draftFrom(both));
    setJson(undefined);
    setError(undefined);
    setConflict(undefined);
    return both;
  }

  const [isErrorAtField, setShown] = useState(true);
  // The invalid field may be far from the button, so it is scrolled into view.
  useEffect(() => {
    if (error === undefined) return;
    const [first] = form.current!.querySelectorAll<HTMLElement>(INVALID);
    setShown(first !== undefined && error instanceof ApiError && error.attr !== null);
    first?.focus({ preventScroll: true });
    first?.scrollIntoView({ block: 'center' });
  }, [error]);

  // Browsers do not scroll to a field with `autoFocus`, and fields without text have no `autoFocus`.
  useEffect(() => {
    if (!field) return;
    const wanted =
      form.current!.querySelector<HTMLElement>(':focus') ?? form.current!.querySelector<HTMLElement>(INVALID);
    wanted?.focus({ preventScroll: true });
    wanted?.scrollIntoView({ block: 'center' });
  }, [field]);

  /** The latest failure is shown at its field until the field is changed. */
  const failedAt = base.failure?.attr;
  const fault = error ?? (failedAt && isSame(fields[failedAt], before[failedAt]) ? base.failure : undefined);
  // The JSON view shows field names as the server's sentences do, so they need no labels.
  const problem = problemOf(fault, field, json === undefined ? type : undefined);
  const isDirty = differences.length > 0 || !parsed;
  const onlyRetry = !isDirty && retryError !== undefined && error === retryError;
  return (
    <ProblemContext value={problem}>
      <Form ref={form} className={styles.form!} isPending={isPending} onSubmit={send}>
        <div className={styles.main}>
          <p className="quiet">Fields marked * are required.</p>
          <LeaveQuestion isDirty={isDirty && !isPending} what="What you have typed" />
          <TextField
            label="Name"
            value={draft.name}
            onChange={(name) => set({ name })}
            isRequired
            error={problem.at('name')}
            autoFocus={!field}
          />
          <div className={styles.pair}>
            <Select
              label="What"
              options={MODELS}
              value={draft.model}
              onChange={(value) => set({ model: value as Draft['model'] })}
              isDisabled={isEdit}
              error={problem.at('model')}
            />
            <IntervalField draft={draft} set={set} />
          </div>
          <ScheduleFields draft={draft} set={set} />
          {!isWide && <NextRuns {...next} timezone={draft.timezone} />}
          <ContentFields
            {...{ draft, set, model, type }}
            hasHashKey={isEdit && base.draft.transformations.some(({ action }) => action === 'hash')}
            onConfig={json === undefined ? (config) => set({ destination: { ...destination, config } }) : undefined}
          />
          <DestinationPart
            {...{ projectId, offer, isEdit, hasSecrets, moved, json }}
            error={fault}
            destination={destination}
            onChange={(changed) => set({ destination: changed })}
            onJson={setJson}
            onNotJson={() =>
              setError(new ApiError(400, { detail: whyNoObject(json ?? ''), attr: 'destination__config' }))
            }
          />
          <DeliveryFields draft={draft} set={set} />
          <NotificationFields draft={draft} set={set} />
        </div>
        <div className={styles.aside}>
          {isWide && <NextRuns {...next} timezone={draft.timezone} />}
          {type && (
            <Trial
              key={type.type}
              {...{ projectId, type, read: validFields }}
              readForTest={() => fieldsUnless(destinationFault())}
              labels={json === undefined ? type.fields : []}
              saved={isEdit ? { id: exportId, fields: before } : undefined}
              current={parsed && fields}
              onError={setError}
            />
          )}
          {isEdit && <Effects {...{ differences, type, next, oldRuns }} />}
          {error !== undefined && !isErrorAtField && (
            <p className={styles.error}>
              <span role="alert">
                {onlyRetry && 'The settings were saved, but the retry may not have been requested: '}
                {messageOf(error)}
              </span>
            </p>
          )}
          <Actions>
            {/* Enter in a field presses the first button. */}
            {submitAndRetry && (
              <Button kind="primary" type="submit" name="then" value={RETRY} isPending={isPending}>
                {onlyRetry ? 'Retry' : submitAndRetry}
              </Button>
            )}
            {!onlyRetry && (
              <Button kind={submitAndRetry ? 'plain' : 'primary'} type="submit" isPending={isPending}>
                {saveLabel}
              </Button>
            )}
          </Actions>
        </div>
      </Form>
      {conflict && (
        <Conflict
          base={before}
          theirs={fieldsOf(conflict.theirs.draft, type)}
          ours={conflict.ours}
          type={type}
          onSave={() => {
            const { theirs, ours, retries } = conflict;
            void save(rebaseOn(theirs, ours), theirs, retries);
          }}
          onKeepTheirs={() => rebaseOn(conflict.theirs, undefined)}
          onClose={() => setConflict(undefined)}
        />
      )}
    </ProblemContext>
  );
}
