import { useNavigate } from '@tanstack/react-router';
import { SearchField } from '../look/search-field.tsx';
import { TextField } from '../look/field.tsx';
import { viewerZone } from '../look/time.tsx';
import type { EventSearch } from './events-data.ts';
import styles from './events.module.css';

type EventFilterProps = {
  search: EventSearch;
  /** A filter that the server did not take, with its reason. */
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
        <TextField
          key={name}
          label={`${name === 'after' ? 'After' : 'Before'} (${viewerZone})`}
          type="datetime-local"
          value={localOf(search[name])}
          onChange={(text) => set(name, text === '' ? '' : new Date(text).toISOString())}
          error={errorAt(name)}
        />
      ))}
      {isElsewhere && <p role="alert">{refused.text}</p>}
    </div>
  );
}

const MINUTE_MS = 60_000;

/** @returns as fields of the browser have it, in its zone: `2026-11-24T10:00`; empty for what is no instant */
function localOf(iso: string | undefined): string {
  const instant = new Date(iso ?? '');
  if (Number.isNaN(instant.getTime())) return '';
  return new Date(instant.getTime() - instant.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
