/** Navigation between the pages about a person's access and about a project's. */
import { Link } from '@tanstack/react-router';
import { useMe } from '../session/me.ts';
import { useProjectId } from '../session/use-project-id.ts';
import styles from './settings.module.css';

const CURRENT = { 'aria-current': 'page' } as const;
/** A link is current whatever the query of the address, because a page's filters are in it. */
const BY_PATH = { includeSearch: false } as const;

export function SettingsNav() {
  const me = useMe();
  const projectId = useProjectId();
  // The project is in the address, so a settings page keeps it after a reload.
  const search = { project: projectId };
  return (
    <nav aria-label="Settings" className={styles.tabs}>
      <Link to="/settings/keys" search={search} activeOptions={BY_PATH} activeProps={CURRENT}>
        Your keys
      </Link>
      {projectId !== undefined && (
        <Link to="/project/$projectId/settings" params={{ projectId }} activeProps={CURRENT}>
          Project
        </Link>
      )}
      {me.organizations.length > 0 && (
        <Link to="/settings/members" search={search} activeOptions={BY_PATH} activeProps={CURRENT}>
          Members
        </Link>
      )}
      <Link to="/settings/sessions" search={search} activeOptions={BY_PATH} activeProps={CURRENT}>
        Sessions
      </Link>
    </nav>
  );
}
