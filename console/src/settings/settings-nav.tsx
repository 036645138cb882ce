/** Navigation between the pages about a person's access and about a project's. */
import { Link, useParams } from '@tanstack/react-router';
import { useMe } from '../session/me.ts';
import styles from './settings.module.css';

const CURRENT = { 'aria-current': 'page' } as const;

export function SettingsNav() {
  const me = useMe();
  const { projectId = me.team?.id } = useParams({ strict: false });
  return (
    <nav aria-label="Settings" className={styles.tabs}>
      <Link to="/settings/keys" activeProps={CURRENT}>
        Your keys
      </Link>
      {projectId !== undefined && (
        <Link to="/project/$projectId/settings" params={{ projectId }} activeProps={CURRENT}>
          Project
        </Link>
      )}
      {me.organization && (
        <Link to="/settings/members" activeProps={CURRENT}>
          Members
        </Link>
      )}
      <Link to="/settings/sessions" activeProps={CURRENT}>
        Sessions
      </Link>
    </nav>
  );
}
