import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { SearchField } from '../look/search-field.tsx';
import { TextField } from '../look/field.tsx';
import { viewerZone } from '../look/time.tsx';
import type { EventSearch } from './events-data.ts';
import styles from './events.module.css';

type EventFilterProps = {
  search: EventSearch;
  /** A filter that the server refused, with its reason. */
  refused: { attr: string; text: string } | undefined;
};

export function EventFilter({ search, refused }: EventFilterProps) {
  const navigate = useNavigate({ from: '/project/$projectId/events' });
  const set = (name: keyof EventSearch, value: string) =>
    void navigate({ search: { ...search, cursor: undefined, [name]: value || undefined }, replace: true });
  const errorAt = (name: string) => (refused?.attr === name ? refused.text : undefined);
  const isElsewhere = refused && refused.attr !== 'after' && refused.attr !== 'before';
  return (
    <div role="search" aria-label="Filter events" className={styles.filters}>
      <SearchField label="Event" value={search.event ?? ''} onChange={(text) => set('event', text)} isFirst />
      <SearchField label="Distinct id" value={search.distinct_id ?? ''} onChange={(text) => set('distinct_id', text)} />
      {(['after', 'before'] as const).map((name) => (
        <InstantField
          key={`${name} ${search[name]}`}
          label={`${name === 'after' ? 'After' : 'Before'} (${viewerZone})`}
          iso={search[name]}
          onChange={(iso) => set(name, iso)}
          error={errorAt(name)}
        />
      ))}
      {isElsewhere && <p role="alert">{refused.text}</p>}
    </div>
  );
}

type InstantFieldProps = {
  label: string;
  iso: string | undefined;
  /** Called with an ISO instant, or '' for none, when the field loses focus or Enter is pressed: half a date is no filter. */
  onChange: (iso: string) => void;
  error: string | undefined;
};

function InstantField({ label, iso, onChange, error }: InstantFieldProps) {
  const [text, setText] = useState(localOf(iso));
  function commit() {
    if (text === localOf(iso)) return;
    const instant = Date.parse(text);
    if (text === '') onChange('');
    else if (!Number.isNaN(instant)) onChange(new Date(instant).toISOString());
  }
  return (
    <TextField
      label={label}
      type="datetime-local"
      value={text}
      onChange={setText}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      error={error}
    />
  );
}

const MINUTE_MS = 60_000;

/** @returns the value of a browser's input, in its zone: `2026-11-24T10:00`; empty for an invalid instant */
function localOf(iso: string | undefined): string {
  const instant = new Date(iso ?? '');
  if (Number.isNaN(instant.getTime())) return '';
  return new Date(instant.getTime() - instant.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
