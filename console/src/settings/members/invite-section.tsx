/** Pending invites: by mail, or with a link to hand over where there is no mail server. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { CopyLine } from '../../look/copy.tsx';
import { FormDialog } from '../../look/dialog.tsx';
import { Empty, Failure, Skeleton } from '../../look/notes.tsx';
import { showNotice } from '../../look/notice.tsx';
import { PageHead } from '../../look/page-head.tsx';
import { Time } from '../../look/time.tsx';
import { useMe } from '../../session/me.ts';
import { resetsQuery } from '../../session/resets.ts';
import styles from '../settings.module.css';
import { Table } from '../table.tsx';
import { Email } from './email.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import { ADMIN, invitesQuery, labelOf, membersKey, revoke, type Invite, type Organization } from './members-data.ts';

export function InviteSection({ organization }: { organization: Organization }) {
  const queries = useQueryClient();
  const [isInviting, setInviting] = useState(false);
  // The link is not cached in a query, so it is gone with the page.
  const [made, setMade] = useState<Invite>();
  const [revoked, setRevoked] = useState<Invite>();
  const me = useMe();
  const invites = useQuery(invitesQuery(organization.id));
  const changed = () => queries.invalidateQueries({ queryKey: membersKey(organization.id) });
  const revoking = useMutation({
    mutationFn: (invite: Invite) => revoke(organization.id, invite),
    onSuccess(_, { id, target_email }) {
      if (made?.id === id) setMade(undefined);
      setRevoked(undefined);
      showNotice({ text: `The invite to ${target_email} is revoked.` });
    },
    onSettled: changed,
  });
  const isAdmin = organization.membership_level >= ADMIN;
  const mayInvite = organization.members_can_invite || isAdmin;
  return (
    <section className={styles.section} aria-label="Invites">
      <PageHead
        title="Invites"
        action={
          mayInvite && (
            <Button kind="primary" onPress={() => setInviting(true)}>
              Invite someone
            </Button>
          )
        }
      />
      {!mayInvite && <p className={styles.note}>Only admins of {organization.name} can invite people to it.</p>}
      {made && <Made invite={made} />}
      {invites.isPending && <Skeleton rows={2} />}
      {invites.isError && <Failure error={invites.error} onRetry={() => void invites.refetch()} />}
      {invites.data?.results.length === 0 && <Empty>No invites are pending.</Empty>}
      {invites.data && invites.data.results.length > 0 && (
        <InviteTable
          invites={invites.data.results}
          mayRevoke={({ created_by: sender }) => isAdmin || sender?.uuid === me.uuid}
          onRevoke={(invite) => {
            revoking.reset();
            setRevoked(invite);
          }}
        />
      )}
      {revoked && (
        <FormDialog
          title={`Revoke the invite to ${revoked.target_email}`}
          action="Revoke invite"
          kind="danger"
          request={revoking}
          onSubmit={() => revoking.mutate(revoked)}
          onClose={() => setRevoked(undefined)}
        >
          <p>The link in it stops working at once. To let {revoked.target_email} in later, send a new invite.</p>
        </FormDialog>
      )}
      {isInviting && (
        <InviteDialog
          organization={organization}
          ownLevel={organization.membership_level}
          onMade={(invite) => {
            setMade(invite);
            setInviting(false);
            void changed();
          }}
          onClose={() => setInviting(false)}
        />
      )}
    </section>
  );
}

/** How the invite that was just made gets to the person. */
function Made({ invite: { target_email: email, link, emailing_attempt_made: isMailed } }: { invite: Invite }) {
  const { data: resets } = useQuery(resetsQuery);
  return (
    <div role="status" className={styles.section}>
      <p className={styles.note}>
        {isMailed ? (
          <>
            An invite was mailed to{' '}
            <strong className={styles.name}>
              <Email address={email} />
            </strong>
            .
          </>
        ) : link ? (
          <>
            Give this link to{' '}
            <strong className={styles.name}>
              <Email address={email} />
            </strong>
            . It works once, within three days, and is not shown again.
          </>
        ) : (
          <>
            <strong className={styles.name}>
              <Email address={email} />
            </strong>{' '}
            did not get the invite.{' '}
            {resets?.available
              ? 'The mail could not be sent: revoke the invite, and send another one later.'
              : 'This installation sends no mail, and only admins see the link of an invite: ask an admin to send it.'}
          </>
        )}
      </p>
      {link && <CopyLine text={link} />}
    </div>
  );
}

const COLUMNS = [
  { title: 'Email' },
  { title: 'Level' },
  { title: 'Invited by', isWide: true },
  { title: 'Expires', isWide: true },
];

type InviteTableProps = {
  invites: readonly Invite[];
  mayRevoke: (invite: Invite) => boolean;
  onRevoke: (invite: Invite) => void;
};

function InviteTable({ invites, mayRevoke, onRevoke }: InviteTableProps) {
  return (
    <Table columns={COLUMNS}>
      {invites.map((invite) => (
        <tr key={invite.id}>
          <td className={styles.name}>
            <Email address={invite.target_email} />
            {invite.first_name !== '' && <span className="quiet"> {invite.first_name}</span>}
            <div className={`${styles.below} quiet`}>
              Expires <Time iso={invite.expires_at} />
            </div>
          </td>
          <td>{labelOf(invite.level)}</td>
          <td className={`${styles.wide} ${styles.name}`}>
            {invite.created_by ? invite.created_by.first_name || invite.created_by.email : ''}
          </td>
          <td className={styles.wide}>
            <Time iso={invite.expires_at} />
          </td>
          <td>
            {mayRevoke(invite) && (
              <Button
                kind="quiet"
                aria-label={`Revoke the invite to ${invite.target_email}`}
                onPress={() => onRevoke(invite)}
              >
                Revoke
              </Button>
            )}
          </td>
        </tr>
      ))}
    </Table>
  );
}
