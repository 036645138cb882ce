/** Navigation between the pages about a person's access and about a project's. */
import { Link } from '@tanstack/react-router';
import { useMe } from '../session/me.ts';
import { useProjectId } from '../session/use-project-id.ts';
import styles from './settings.module.css';

const CURRENT = { 'aria-current': 'page' } as const;
/** Filters of a page belong to its address, and do not make it another one. */
const BY_PATH = { includeSearch: false } as const;

export function SettingsNav() {
  const me = useMe();
  const projectId = useProjectId();
  // With the project in the address, a page of settings loaded again stays with it.
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
