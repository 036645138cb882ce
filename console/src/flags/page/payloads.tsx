import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import { compact } from '../words/changes.ts';
import styles from './flag-page.module.css';
import type { Edit } from './use-edit.ts';
import type { Refusal } from './use-refusal.ts';

type PayloadsProps = { edit: Edit; refusal: Refusal; mayEdit: boolean };

/** The JSON that programs get with the flag: one for each variant, or one for a flag that is on. */
export function Payloads({ edit, refusal, mayEdit }: PayloadsProps) {
  const { filters, has_encrypted_payloads: isEncrypted } = edit.fields;
  const variants = filters.multivariate?.variants ?? [];
  const keys = variants.length > 0 ? variants.map(({ key }) => key) : ['true'];
  const payloads = filters.payloads ?? {};
  if (!mayEdit && keys.every((key) => payloads[key] === undefined)) return null;
  function change(key: string, text: string | undefined) {
    const { [key]: _, ...others } = payloads;
    edit.setFilters({ payloads: text === undefined ? others : { ...others, [key]: text } });
  }
  return (
    <section aria-labelledby="payloads">
      <h2 id="payloads">{variants.length > 0 ? 'Payloads' : 'Payload'}</h2>
      {keys.map((key) => (
        <Payload
          key={key}
          label={variants.length > 0 ? `Payload of ${key}` : 'Payload'}
          value={payloads[key]}
          before={edit.base.filters.payloads?.[key]}
          problem={refusal.at(`filters__payloads__${key}`)}
          onChange={(text) => change(key, text)}
          {...{ isEncrypted, mayEdit }}
        />
      ))}
    </section>
  );
}

type PayloadProps = {
  label: string;
  value: unknown;
  /** The saved payload; for an encrypted one its mask. */
  before: unknown;
  problem: string | undefined;
  onChange: (text: string | undefined) => void;
  isEncrypted: boolean;
  mayEdit: boolean;
};

function Payload({ label, value, before, problem, onChange, isEncrypted, mayEdit }: PayloadProps) {
  const isMasked = isEncrypted && before !== undefined;
  const [text, setText] = useState(isMasked && value === before ? '' : layOut(value));
  if (!mayEdit) return value === undefined ? null : <pre className={styles.payload}>{layOut(value)}</pre>;
  if (value === undefined) {
    return (
      <div className={styles.payload}>
        <Button
          kind="quiet"
          onPress={() => {
            // The mask of an encrypted payload must not be edited.
            setText(before === undefined ? '{}' : isMasked ? '' : layOut(before));
            onChange(before === undefined ? '{}' : compact(before));
          }}
        >
          Add a {label.charAt(0).toLowerCase() + label.slice(1)}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.payload}>
      <TextField
        label={label}
        description={
          isMasked ? 'The payload is encrypted and never shown here. Enter another one to replace it.' : undefined
        }
        value={text}
        onChange={(next) => {
          setText(next);
          onChange(isMasked && next === '' ? (before as string) : next);
        }}
        error={problem ?? (isMasked && text === '' ? undefined : notJson(text))}
        lines={Math.min(12, Math.max(2, text.split('\n').length))}
        mono
      />
      <Button kind="quiet" onPress={() => onChange(undefined)}>
        Remove
      </Button>
    </div>
  );
}

export function notJson(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch {
    return 'A payload is JSON: an object, a list, a number, true, or a text in quotes.';
  }
}

/** Characters above which a payload is laid out over several lines. */
const LONG = 60;

function layOut(payload: unknown): string {
  const short = payload === undefined ? '' : compact(payload);
  if (short.length <= LONG) return short;
  try {
    return JSON.stringify(JSON.parse(short), null, 2);
  } catch {
    return short;
  }
}
