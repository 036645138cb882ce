import { Link } from '@tanstack/react-router';
import styles from './filters.module.css';
import { formatCount } from './time.tsx';

/** Pages of a list as links: `1–100 of 312`. Renders nothing for a single page. */
export function Pages({ page, size, count }: { page: number; size: number; count: number }) {
  if (count <= size && page === 1) return null;
  const first = (page - 1) * size + 1;
  return (
    <nav aria-label="Pages" className={styles.pages}>
      <span>
        {formatCount(Math.min(first, count))}–{formatCount(Math.min(first + size - 1, count))} of {formatCount(count)}
      </span>
      {page > 1 && <PageLink to={page - 1}>Back</PageLink>}
      {first + size <= count && <PageLink to={page + 1}>Next</PageLink>}
    </nav>
  );
}

function PageLink({ to, children }: { to: number; children: string }) {
  return (
    <Link to="." search={((now: object) => ({ ...now, page: to === 1 ? undefined : to })) as never} activeProps={{}}>
      {children}
    </Link>
  );
}
