/** The people of an organization, and pending invites. */
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { Pages } from '../../look/pages.tsx';
import { useMe } from '../../session/me.ts';
import { SettingsNav } from '../settings-nav.tsx';
import styles from '../settings.module.css';
import { InviteSection } from './invite-section.tsx';
import { MemberTable } from './member-table.tsx';
import { membersQuery, PAGE_SIZE } from './members-data.ts';

const route = getRouteApi('/inside/settings/members');

export function MembersPage() {
  const { organization } = useMe();
  return (
    <main>
      <SettingsNav />
      {organization ? (
        <>
          <Members organizationId={organization.id} name={organization.name} />
          <InviteSection organization={organization} />
        </>
      ) : (
        <Empty>You are in no organization.</Empty>
      )}
    </main>
  );
}

function Members({ organizationId, name }: { organizationId: string; name: string }) {
  const { page = 1 } = route.useSearch();
  const members = useQuery(membersQuery(organizationId, page));
  return (
    <section className={styles.section} aria-label="Members">
      <PageHead title={`Members of ${name}`} />
      {members.isPending && <Skeleton rows={4} />}
      {members.isError && <Failure error={members.error} onRetry={() => void members.refetch()} />}
      {members.data && <MemberTable members={members.data.results} />}
      {members.data && <Pages page={page} size={PAGE_SIZE} count={members.data.count} />}
    </section>
  );
}
