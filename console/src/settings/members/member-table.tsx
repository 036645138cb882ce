import { useState } from 'react';
import { Button } from '../../look/button.tsx';
import { Select } from '../../look/select.tsx';
import { Time } from '../../look/time.tsx';
import { useMe } from '../../session/me.ts';
import styles from '../settings.module.css';
import { Table } from '../table.tsx';
import { Email } from './email.tsx';
import { LeaveDialog, LevelDialog } from './member-dialogs.tsx';
import { ADMIN, labelOf, levelsUpTo, nameOf, type Level, type Member, type Organization } from './members-data.ts';

const COLUMNS = [{ title: 'Person' }, { title: 'Level' }, { title: 'Joined', isWide: true }];

type MemberTableProps = { organization: Organization; members: readonly Member[] };
type Open = { to: 'leave'; member: Member } | { to: 'change'; member: Member; level: Level };

export function MemberTable({ organization, members }: MemberTableProps) {
  const me = useMe();
  const [open, setOpen] = useState<Open>();
  const own = organization.membership_level;
  const isMe = ({ user }: Member) => user.uuid === me.uuid;
  // The server decides the rest: who is admin by then, and that one owner remains.
  const mayChange = (member: Member) => own >= ADMIN && !isMe(member) && member.level <= own;
  return (
    <>
      <Table columns={COLUMNS}>
        {members.map((member) => (
          <tr key={member.id}>
            <td className={styles.name}>
              <strong>
                <Email address={nameOf(member)} />
              </strong>
              {isMe(member) && <span className="quiet"> (you)</span>}
              {nameOf(member) !== member.user.email && (
                <div className="quiet">
                  <Email address={member.user.email} />
                </div>
              )}
              {!member.user.is_email_verified && <div className="quiet">Email address not verified</div>}
            </td>
            <td className={styles.level}>
              {mayChange(member) ? (
                <Select
                  label={`Level of ${nameOf(member)}`}
                  isLabelHidden
                  options={levelsUpTo(own)}
                  value={String(member.level)}
                  onChange={(level) => {
                    if (Number(level) !== member.level)
                      setOpen({ to: 'change', member, level: Number(level) as Level });
                  }}
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
                  onPress={() => setOpen({ to: 'leave', member })}
                >
                  {isMe(member) ? 'Leave' : 'Remove'}
                </Button>
              )}
            </td>
          </tr>
        ))}
      </Table>
      {own < ADMIN && (
        <p className={`quiet ${styles.note}`}>
          Only admins of {organization.name} can change levels or remove members.
        </p>
      )}
      {open?.to === 'change' && (
        <LevelDialog
          organization={organization}
          member={open.member}
          level={open.level}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open?.to === 'leave' && (
        <LeaveDialog
          organization={organization}
          member={open.member}
          isMe={isMe(open.member)}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}
