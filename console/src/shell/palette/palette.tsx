/** Everything that can be gone to or done, by a few letters of its name. */
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Autocomplete, Header, Input, Menu, MenuItem, MenuSection, SearchField } from 'react-aria-components';
import { presentKeys } from '../../keys/keys.ts';
import { Dialog } from '../../look/dialog.tsx';
import { actionsOf, matches, pagesOf, type Entry } from './entries.ts';
import styles from './palette.module.css';
import { useFound } from './use-found.ts';

type PaletteProps = { projectId: number | undefined; onClose: () => void };

export function Palette({ projectId, onClose }: PaletteProps) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  // Read when the palette opens, because the dialog itself has no keys.
  const [actions] = useState(() => actionsOf(presentKeys()));
  const wanted = useDeferredValue(text.trim());
  const found = useFound(projectId, wanted);
  const sections: { title: string; entries: Entry[] }[] = [
    { title: 'Actions of this page', entries: actions.filter((one) => matches(one, wanted)) },
    { title: 'Pages', entries: pagesOf(projectId).filter((one) => matches(one, wanted)) },
    ...found.sections,
  ].filter(({ entries }) => entries.length > 0);
  const all = sections.flatMap(({ entries }) => entries);

  function choose(id: string) {
    const entry = all.find((one) => one.id === id);
    onClose();
    if (entry?.href !== undefined) void navigate({ href: entry.href });
    // After the dialog has given the focus back.
    else if (entry?.run) setTimeout(entry.run, 50);
  }

  return (
    <Dialog title="Go to, or do" isOpen onClose={onClose} width="wide">
      <Autocomplete inputValue={text} onInputChange={setText}>
        <SearchField aria-label="Go to, or do" autoFocus className={styles.search!}>
          <Input className={styles.input!} placeholder="An export, a flag, a page, an action" />
        </SearchField>
        <Menu
          aria-label="Found"
          className={styles.list!}
          onAction={(id) => choose(String(id))}
          renderEmptyState={() => (
            <p className={styles.none}>{found.isPending ? 'Searching' : `Nothing matches ${wanted}.`}</p>
          )}
        >
          {sections.map(({ title, entries }) => (
            <MenuSection key={title} id={title}>
              <Header className={styles.title!}>{title}</Header>
              {entries.map((entry) => (
                <MenuItem key={entry.id} id={entry.id} textValue={entry.name} className={styles.item!}>
                  <span className={styles.name}>{entry.name}</span>
                  {entry.beside !== undefined && <span className={styles.beside}>{entry.beside}</span>}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Autocomplete>
    </Dialog>
  );
}
