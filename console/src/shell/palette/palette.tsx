/** Finds pages, objects and actions by a few letters of their names. */
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useEffectEvent, useState, type KeyboardEvent } from 'react';
import { Autocomplete, Header, Input, Menu, MenuItem, MenuSection, SearchField } from 'react-aria-components';
import { presentKeys } from '../../keys/keys.ts';
import { Dialog } from '../../look/dialog.tsx';
import { logOut } from '../../session/log-out.ts';
import { useMe } from '../../session/me.ts';
import { actionsOf, matches, pagesOf, projectsOf, type Entry } from './entries.ts';
import styles from './palette.module.css';
import { useSearchResults } from './use-search-results.ts';

const LOG_OUT: Entry = { id: 'log out', name: 'Log out', run: () => void logOut() };
const MAX_PROJECTS = 6;

type PaletteProps = { projectId: number | undefined; onClose: () => void };

export function Palette({ projectId, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [chosenText, setChosenText] = useState<string>();
  // The page's actions, read once when the palette opens.
  const [actions] = useState(() => [...actionsOf(presentKeys()), LOG_OUT]);
  const me = useMe();
  const searchText = useDeferredValue(text.trim());
  const searchResults = useSearchResults(projectId, searchText);
  const sections: { title: string; entries: Entry[] }[] = [
    { title: 'Actions', entries: actions.filter((action) => matches(action, searchText)) },
    { title: 'Pages', entries: pagesOf(projectId).filter((page) => matches(page, searchText)) },
    {
      title: 'Projects',
      entries: projectsOf(me, projectId)
        .filter((project) => matches(project, searchText))
        .slice(0, MAX_PROJECTS),
    },
    ...searchResults.sections,
  ].filter(({ entries }) => entries.length > 0);
  const all = sections.flatMap(({ entries }) => entries);

  const isShown = searchText === text.trim();
  // While a search is pending, the project's objects are still those of the text before.
  const isFirstCurrent =
    !searchResults.isPending || !searchResults.sections.some(({ entries }) => entries[0] === all[0]);
  const first = isShown && isFirstCurrent ? all[0] : undefined;

  function choose(id: string) {
    const entry = all.find((candidate) => candidate.id === id);
    onClose();
    if (entry?.href !== undefined) void navigate({ href: entry.href });
    // After the dialog has given the focus back.
    else if (entry?.run) setTimeout(entry.run, 50);
  }

  // Enter is often pressed before the results of the last letters are shown, or their first has the focus.
  function chooseFirst(event: KeyboardEvent<HTMLInputElement>) {
    if (event.key !== 'Enter' || text.trim() === '') return;
    if (isShown && event.currentTarget.hasAttribute('aria-activedescendant')) return;
    event.preventDefault();
    event.stopPropagation();
    setChosenText(text.trim());
  }
  const chooseAwaited = useEffectEvent(choose);
  const awaitedId = chosenText === text.trim() ? first?.id : undefined;
  useEffect(() => {
    if (awaitedId !== undefined) chooseAwaited(awaitedId);
  }, [awaitedId]);

  return (
    <Dialog title="Command palette" isOpen onClose={onClose} width="wide">
      <Autocomplete
        inputValue={text}
        onInputChange={(typed) => {
          setText(typed);
          setChosenText(undefined);
        }}
      >
        <SearchField aria-label="Command palette" autoFocus className={styles.search!}>
          <Input
            className={styles.input!}
            placeholder="Search exports, flags, dashboards, pages and actions"
            onKeyDownCapture={chooseFirst}
          />
        </SearchField>
        <Menu
          aria-label="Results"
          className={styles.list!}
          onAction={(id) => choose(String(id))}
          renderEmptyState={() => (
            <p className={styles.none}>{searchResults.isPending ? 'Searching…' : `Nothing matches ${searchText}.`}</p>
          )}
        >
          {sections.map(({ title, entries }) => (
            <MenuSection key={title} id={title}>
              <Header className={styles.title!}>{title}</Header>
              {entries.map((entry) => (
                <MenuItem key={entry.id} id={entry.id} textValue={entry.name} className={styles.item!}>
                  <span className={styles.name}>{entry.name}</span>
                  {entry.detail !== undefined && <span className={styles.beside}>{entry.detail}</span>}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}
