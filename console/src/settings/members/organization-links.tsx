import { Link } from '@tanstack/react-router';
import filters from '../../look/filters.module.css';
import { useMe } from '../../session/me.ts';

/** The user's organizations, each with an address of its own. Renders nothing for a single one. */
export function OrganizationLinks({ chosen }: { chosen: string }) {
  const { organizations } = useMe();
  if (organizations.length < 2) return null;
  return (
    <nav aria-label="Organizations" className={filters.choices}>
      {organizations.map(({ id, name }) => (
        <Link
          key={id}
          from="/settings/members"
          to="."
          search={({ project }) => ({ project, organization: id })}
          aria-current={id === chosen ? 'true' : undefined}
          className={filters.choice}
          activeProps={{}}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
