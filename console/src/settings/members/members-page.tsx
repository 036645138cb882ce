/** The people of an organization, and pending invites. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { Pages } from '../../look/pages.tsx';
import { SettingsNav } from '../settings-nav.tsx';
import styles from '../settings.module.css';
import { InviteSection } from './invite-section.tsx';
import { MemberTable } from './member-table.tsx';
import { membersQuery, organizationQuery, PAGE_SIZE, type Organization } from './members-data.ts';
import { OrganizationLinks } from './organization-links.tsx';

const route = getRouteApi('/inside/settings/members');

export function MembersPage() {
  const { organization: id } = route.useSearch();
  return (
    <main>
      <SettingsNav />
      {id === undefined ? (
        <>
          <h1>Members</h1>
          <Empty>You are not a member of any organization.</Empty>
        </>
      ) : (
        <>
          <OrganizationLinks chosen={id} />
          <People key={id} id={id} />
        </>
      )}
    </main>
  );
}

function People({ id }: { id: string }) {
  const { data: organization, error, refetch } = useQuery(organizationQuery(id));
  if (error) {
    return (
      <>
        <h1>Members</h1>
        <Failure error={error} onRetry={() => void refetch()} />
      </>
    );
  }
  if (!organization) return <Skeleton rows={4} />;
  return <Members organization={organization} />;
}

/** The members and, below them, the invites: only once the members are there, which would move them. */
function Members({ organization }: { organization: Organization }) {
  const { page = 1 } = route.useSearch();
  const members = useQuery(membersQuery(organization.id, page));
  return (
    <>
      <section className={styles.section} aria-label="Members">
        <PageHead title={`Members of ${organization.name}`} />
        {members.isPending && <Skeleton rows={4} />}
        {members.isError && <Failure error={members.error} onRetry={() => void members.refetch()} />}
        {members.data && <MemberTable organization={organization} members={members.data.results} />}
        {members.data && <Pages page={page} size={PAGE_SIZE} count={members.data.count} />}
      </section>
      {!members.isPending && <InviteSection organization={organization} />}
    </>
  );
}
