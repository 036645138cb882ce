/** Bounds, limits and notifications of an export. A first export needs none of them. */
import { Checkbox } from '../../look/edits/checkbox.tsx';
import { Switch, TextField } from '../../look/field.tsx';
import { instantOf, localInput, viewerZone } from '../../look/time.tsx';
import type { Draft, Notifications, TypedNumber } from './draft.ts';
import styles from './form.module.css';
import { More } from './more.tsx';
import { useProblem } from './problem.ts';

type FieldsProps = { draft: Draft; set: (change: Partial<Draft>) => void };

const DELIVERY = [
  'start_at',
  'end_at',
  'jitter_seconds',
  'max_concurrent_runs',
  'freshness_target_seconds',
  'redeliver_stale',
];

export function DeliveryFields({ draft, set }: FieldsProps) {
  return (
    <More title="Start, end and limits" attrs={DELIVERY} summary={deliveryWords(draft)}>
      <div className={styles.pair}>
        <InstantField
          label="Start"
          attr="start_at"
          value={draft.start_at}
          onChange={(start_at) => set({ start_at })}
          description="Earlier intervals are not delivered automatically."
        />
        <InstantField
          label="End"
          attr="end_at"
          value={draft.end_at}
          onChange={(end_at) => set({ end_at })}
          description="Later intervals are not delivered automatically."
        />
        <NumberField
          label="Late after, in seconds"
          attr="freshness_target_seconds"
          value={draft.freshness_target_seconds}
          onChange={(freshness_target_seconds) => set({ freshness_target_seconds })}
          description="How late an interval may be before a notification is sent. Empty: no notification."
        />
        <NumberField
          label="Runs at once"
          attr="max_concurrent_runs"
          value={draft.max_concurrent_runs}
          onChange={(max_concurrent_runs) => set({ max_concurrent_runs })}
          description="For backfills and retries, from 1 to 100. Scheduled runs are not limited."
        />
        <NumberField
          label="Random delay, in seconds"
          attr="jitter_seconds"
          value={draft.jitter_seconds}
          onChange={(jitter_seconds) => set({ jitter_seconds })}
          description="Longest random delay of a run after the end of its interval, so that not all exports start at once."
        />
      </div>
      <Switch
        isSelected={draft.redeliver_stale}
        onChange={(redeliver_stale) => set({ redeliver_stale })}
        description="Ten minutes after the last import into these intervals, but at most an hour after the first."
      >
        Deliver stale intervals again
      </Switch>
    </More>
  );
}

function deliveryWords(draft: Draft): string | undefined {
  const words = [
    draft.start_at !== null && 'start',
    draft.end_at !== null && 'end',
    draft.freshness_target_seconds !== null && 'late after',
    draft.max_concurrent_runs !== 10 && 'runs at once',
    draft.jitter_seconds !== 0 && draft.jitter_seconds !== null && 'random delay',
    draft.redeliver_stale && 'stale intervals',
  ].filter((word) => word !== false);
  return words.length === 0 ? undefined : words.join(', ');
}

type Kind = NonNullable<Notifications['on']>[number];
const KINDS: Readonly<Record<Kind, string>> = {
  failed: 'A run failed',
  recovered: 'Runs complete again',
  paused: 'The export was paused',
  behind_schedule: 'It is late',
  gave_up: 'An interval is no longer retried',
  stale: 'An interval is stale',
  overlapping: 'Another export may write to the same place',
  schedule_changed: 'Its schedule was changed in Temporal',
  keeping_files: 'Replaced files cannot be deleted',
  source_expiring: 'Undelivered events are about to be deleted',
};
const ALL = Object.keys(KINDS) as Kind[];

export function NotificationFields({ draft, set }: FieldsProps) {
  const problem = useProblem();
  const { emails = [], webhook = null, on = ALL } = draft.notifications ?? {};
  const change = (part: Partial<Notifications>) => set({ notifications: { emails, webhook, on, ...part } });
  const isAny = emails.length > 0 || webhook !== null;
  return (
    <More
      title="Notifications"
      attrs={['notifications']}
      summary={draft.notifications ? [...emails, ...(webhook ? ['webhook'] : [])].join(', ') : undefined}
    >
      <TextField
        label="Mail to"
        lines={2}
        value={emails.join('\n')}
        onChange={(text) => change({ emails: text.split('\n').filter((line, at, all) => line || at < all.length - 1) })}
        description="One address per line; at most one mail a day."
        error={problem.under('notifications__emails')}
      />
      <TextField
        label="Webhook"
        value={webhook?.url ?? ''}
        onChange={(url) => change({ webhook: url === '' ? null : { ...webhook, url } })}
        placeholder="https://example.com/sluice"
        error={problem.at('notifications__webhook') ?? problem.at('notifications__webhook__url')}
      />
      {webhook && (
        <TextField
          label="Secret of the webhook"
          type="password"
          autoComplete="new-password"
          value={webhook.secret ?? ''}
          onChange={(secret) => change({ webhook: { url: webhook.url, ...(secret && { secret }) } })}
          placeholder="whsec_…"
          description="Used to sign each request: whsec_ followed by 24 to 64 bytes in base64. Leave empty to keep the current one."
          error={problem.at('notifications__webhook__secret')}
        />
      )}
      {isAny && (
        <div role="group" aria-label="Notify when" className={styles.checks}>
          {ALL.map((kind) => (
            <Checkbox
              key={kind}
              isSelected={on.includes(kind)}
              onChange={(isOn) => change({ on: ALL.filter((one) => (one === kind ? isOn : on.includes(one))) })}
            >
              {KINDS[kind]}
            </Checkbox>
          ))}
        </div>
      )}
      {problem.under('notifications__on') && (
        <p role="alert" className={styles.error}>
          {problem.under('notifications__on')}
        </p>
      )}
    </More>
  );
}

type ValueProps<Value> = {
  label: string;
  attr: string;
  value: Value;
  onChange: (value: Value) => void;
  description: string;
};

function NumberField({ label, attr, value, onChange, description }: ValueProps<TypedNumber>) {
  const problem = useProblem();
  return (
    <TextField
      label={label}
      value={value === null ? '' : String(value)}
      onChange={(text) => onChange(text === '' ? null : /^\d+$/.test(text) ? Number(text) : text)}
      inputMode="numeric"
      autoComplete="off"
      description={description}
      error={problem.at(attr)}
      autoFocus={problem.isWanted(attr)}
    />
  );
}

function InstantField({ label, attr, value, onChange, description }: ValueProps<string | null>) {
  const problem = useProblem();
  return (
    <TextField
      label={`${label} (${viewerZone})`}
      type="datetime-local"
      value={value === null ? '' : localInput(value)}
      onChange={(text) => onChange(instantOf(text) ?? null)}
      description={description}
      error={problem.at(attr)}
      autoFocus={problem.isWanted(attr)}
    />
  );
}
