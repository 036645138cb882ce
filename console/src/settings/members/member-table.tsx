import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { Select } from '../../look/select.tsx';
import { showNotice } from '../../look/notice.tsx';
import { Time } from '../../look/time.tsx';
import { useMe } from '../../session/me.ts';
import styles from '../settings.module.css';
import {
  ADMIN,
  changeLevel,
  labelOf,
  levelsUpTo,
  membersKey,
  removeMember,
  type Level,
  type Member,
} from './members-data.ts';

type MemberTableProps = { organizationId: string; members: readonly Member[] };
type Change = { member: Member; level: Level };

const nameOf = ({ user }: Member) => `${user.first_name} ${user.last_name}`.trim() || user.email;

export function MemberTable({ organizationId, members }: MemberTableProps) {
  const me = useMe();
  const queries = useQueryClient();
  const [leaving, setLeaving] = useState<Member>();
  const own = me.organization!.membership_level;
  const changing = useMutation({
    mutationFn: ({ member, level }: Change) => changeLevel(organizationId, member, level),
    onSuccess(_, { member, level }) {
      showNotice({
        text: `${nameOf(member)} is ${labelOf(level).toLowerCase()} now.`,
        undo: () => changing.mutate({ member, level: member.level }),
      });
    },
    onError: (error) => showNotice({ text: messageOf(error) }),
    onSettled: () => queries.invalidateQueries({ queryKey: membersKey(organizationId) }),
  });
  const isMe = ({ user }: Member) => user.uuid === me.uuid;
  // The server decides the rest: who is admin by then, and that one owner remains.
  const mayChange = (member: Member) => own >= ADMIN && !isMe(member) && member.level <= own;
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th>Person</th>
            <th>Level</th>
            <th className={styles.wide}>Joined</th>
            <th>
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {members.map((member) => (
            <tr key={member.id}>
              <td className={styles.name}>
                <strong>{nameOf(member)}</strong>
                {isMe(member) && <span className="quiet"> you</span>}
                {nameOf(member) !== member.user.email && <div className="quiet">{member.user.email}</div>}
                {!member.user.is_email_verified && <div className="quiet">Nobody has proved the address.</div>}
              </td>
              <td className={styles.level}>
                {mayChange(member) ? (
                  <Select
                    label={`Level of ${nameOf(member)}`}
                    isLabelHidden
                    options={levelsUpTo(own)}
                    value={String(member.level)}
                    onChange={(level) => changing.mutate({ member, level: Number(level) as Level })}
                    isDisabled={changing.isPending}
                  />
                ) : (
                  labelOf(member.level)
                )}
              </td>
              <td className={styles.wide}>
                <Time iso={member.joined_at} />
              </td>
              <td>
                {(mayChange(member) || isMe(member)) && (
                  <Button
                    kind="quiet"
                    aria-label={isMe(member) ? 'Leave' : `Remove ${nameOf(member)}`}
                    onPress={() => setLeaving(member)}
                  >
                    {isMe(member) ? 'Leave' : 'Remove'}
                  </Button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {leaving && (
        <LeaveDialog
          organizationId={organizationId}
          member={leaving}
          isMe={isMe(leaving)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  );
}

type LeaveDialogProps = { organizationId: string; member: Member; isMe: boolean; onClose: () => void };

function LeaveDialog({ organizationId, member, isMe, onClose }: LeaveDialogProps) {
  const queries = useQueryClient();
  const removing = useMutation({
    mutationFn: () => removeMember(organizationId, member),
    async onSuccess() {
      // Reloads the page, because the user may no longer see the data.
      if (isMe) location.assign('/');
      await queries.invalidateQueries({ queryKey: membersKey(organizationId) });
      onClose();
    },
  });
  return (
    <Dialog title={isMe ? 'Leave the organization' : `Remove ${nameOf(member)}`} isOpen onClose={onClose}>
      <p>
        {isMe ? 'Your keys open' : 'Their keys open'} none of its projects any more, and the invites that{' '}
        {isMe ? 'you' : 'they'} sent end. A new invite is the way back.
      </p>
      {removing.error && (
        <p role="alert" className={styles.error}>
          {messageOf(removing.error)}
        </p>
      )}
      <Actions>
        <Button kind="danger" isPending={removing.isPending} onPress={() => removing.mutate()}>
          {isMe ? 'Leave' : 'Remove'}
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
