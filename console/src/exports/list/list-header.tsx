/** How all exports stand, in one sentence whose parts are filters; and the filter by name. */
import { Link, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, type Ref } from 'react';
import { Input, SearchField } from 'react-aria-components';
import { ButtonLink } from '../../look/button.tsx';
import { isToday, Time } from '../../look/time.tsx';
import { newExportAddress } from '../addresses.ts';
import { STATES, type ExportList, type ListFilter, type ListState } from './list-data.ts';
import styles from './list.module.css';

type HeaderProps = { projectId: number; list: ExportList; filter: ListFilter; inputRef: Ref<HTMLInputElement> };

export function ListHeader({ projectId, list, filter, inputRef }: HeaderProps) {
  return (
    <header className={styles.header}>
      <ul className={styles.counts} aria-label="Exports by state">
        {STATES.filter((state) => list.counts[state] > 0).map((state) => (
          <li key={state} className={styles[state]}>
            <Link
              to="/project/$projectId/exports"
              params={{ projectId }}
              search={{ ...filter, state: filter.state === state ? undefined : state }}
              aria-current={filter.state === state ? 'true' : undefined}
            >
              {list.counts[state]} {WORDS[state](list.counts[state])}
              {state === 'retrying' && list.nextTryAt && (
                <>
                  {' at '}
                  <Time iso={list.nextTryAt} date={!isToday(list.nextTryAt)} />
                </>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <Search key={projectId} projectId={projectId} filter={filter} inputRef={inputRef} />
      <ButtonLink kind="primary" to={newExportAddress(projectId)}>
        New export
      </ButtonLink>
    </header>
  );
}

const WORDS: Readonly<Record<ListState, (count: number) => string>> = {
  needs_you: (count) => (count === 1 ? 'needs you' : 'need you'),
  retrying: () => 'retrying',
  behind: () => 'behind',
  paused: () => 'paused',
  on_time: () => 'on time',
};

/** Typing is put into the address once it rests, so that the history of the browser has words and not letters. */
const REST_MS = 200;

function Search({ projectId, filter, inputRef }: Omit<HeaderProps, 'list'>) {
  const navigate = useNavigate();
  // Typed text that is not in the address yet.
  const [typed, setTyped] = useState<string>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  function change(next: string) {
    setTyped(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(async () => {
      const search = { ...filter, search: next || undefined };
      await navigate({ to: '/project/$projectId/exports', params: { projectId }, search, replace: true });
      setTyped((latest) => (latest === next ? undefined : latest));
    }, REST_MS);
  }
  return (
    <SearchField
      aria-label="Filter exports"
      value={typed ?? filter.search ?? ''}
      onChange={change}
      className={styles.search!}
    >
      <Input ref={inputRef} className={styles.input!} placeholder="Filter" />
      <kbd aria-hidden>/</kbd>
    </SearchField>
  );
}
