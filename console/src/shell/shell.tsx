/** The bar above every page: the project, the subject and the user. There is no sidebar, so that the page has the full width. */
import { Link, Outlet, useNavigate } from '@tanstack/react-router';
import { Button as AriaButton, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useLive } from '../live/use-live.ts';
import menu from '../look/menu/menu.module.css';
import { logOut } from '../session/log-out.ts';
import { useMe } from '../session/me.ts';
import { useProjectId } from '../session/use-project-id.ts';
import { openPalette, preloadPalette, ShellKeys } from './shell-keys.tsx';
import styles from './shell.module.css';
import { useTheme } from './use-theme.ts';

const CURRENT = { 'aria-current': 'page' } as const;

export function Shell() {
  const me = useMe();
  useTheme(me.theme_mode);
  const projectId = useProjectId();
  useLive(projectId);
  return (
    <>
      <a className="skip" href="#page">
        Skip to the page
      </a>
      <header className={styles.bar}>
        <Link to="/" className={styles.brand}>
          Sluice
        </Link>
        {projectId !== undefined && <ProjectMenu projectId={projectId} />}
        <nav aria-label="Subjects" className={styles.subjects}>
          {projectId !== undefined && (
            <>
              <Link to="/project/$projectId/exports" params={{ projectId }} activeProps={CURRENT}>
                Exports
              </Link>
              <Link to="/project/$projectId/flags" params={{ projectId }} activeProps={CURRENT}>
                Flags
              </Link>
              <Link to="/project/$projectId/dashboards" params={{ projectId }} activeProps={CURRENT}>
                Dashboards
              </Link>
              <Link to="/project/$projectId/events" params={{ projectId }} activeProps={CURRENT}>
                Events
              </Link>
            </>
          )}
        </nav>
        <PaletteButton />
        <UserMenu projectId={projectId} />
      </header>
      <ShellKeys projectId={projectId} />
      <div id="page" className={styles.page}>
        <Outlet />
      </div>
    </>
  );
}

const PALETTE_KEY = /^(Mac|iP)/.test(navigator.platform) ? '⌘K' : 'Ctrl K';

function PaletteButton() {
  return (
    <AriaButton
      className={`${styles.menuButton} ${styles.search}`}
      aria-label={`Search, ${PALETTE_KEY}: command palette`}
      onHoverStart={preloadPalette}
      onFocus={preloadPalette}
      onPress={openPalette}
    >
      <kbd>{PALETTE_KEY}</kbd>
      <span>Search</span>
    </AriaButton>
  );
}

function ProjectMenu({ projectId }: { projectId: number }) {
  const me = useMe();
  const navigate = useNavigate();
  const name = me.projects.find(({ id }) => id === projectId)?.name ?? `Project ${projectId}`;
  const organizations = me.organizations
    .map(({ id, name: title }) => ({ id, title, projects: me.projects.filter((item) => item.organization === id) }))
    .filter(({ projects }) => projects.length > 0);
  return (
    <MenuTrigger>
      <AriaButton className={styles.menuButton!} aria-label={`Project ${name}`}>
        <span className={styles.kind}>Project </span>
        {name} <span aria-hidden>▾</span>
      </AriaButton>
      <Popover className={menu.popover!}>
        <Menu
          className={menu.menu!}
          aria-label="Projects"
          onAction={(id) => void navigate({ to: '/project/$projectId/exports', params: { projectId: Number(id) } })}
        >
          {organizations.map(({ id, title, projects }) => (
            <MenuSection key={id} aria-label={title}>
              {organizations.length > 1 && <Header className={styles.title!}>{title}</Header>}
              {projects.map((item) => (
                <MenuItem key={item.id} id={item.id} className={menu.item!}>
                  {item.name}
                </MenuItem>
              ))}
            </MenuSection>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function UserMenu({ projectId }: { projectId: number | undefined }) {
  const me = useMe();
  const navigate = useNavigate();
  const search = { project: projectId };
  const name = me.first_name || me.email;
  return (
    <MenuTrigger>
      <AriaButton className={styles.menuButton!} aria-label={`${name}: account`}>
        <span className={styles.initial} data-initial={String.fromCodePoint(name.codePointAt(0)!)} />
        {name} <span aria-hidden>▾</span>
      </AriaButton>
      <Popover className={menu.popover!} placement="bottom end">
        <Menu className={menu.menu!} aria-label="Account">
          <MenuItem className={menu.item!} onAction={() => void navigate({ to: '/settings/keys', search })}>
            Settings
          </MenuItem>
          <MenuItem className={menu.item!} onAction={() => void navigate({ to: '/settings/sessions', search })}>
            Sessions
          </MenuItem>
          <MenuItem id="log-out" className={menu.item!} onAction={() => void logOut()}>
            Log out
          </MenuItem>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
