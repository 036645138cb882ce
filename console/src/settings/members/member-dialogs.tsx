/** Questions before somebody's access to an organization changes. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { FormDialog } from '../../look/dialog.tsx';
import { showNotice } from '../../look/notice.tsx';
import { changeLevel, labelOf, membersKey, nameOf, removeMember, type Level, type Member } from './members-data.ts';

type Common = { organization: { id: string; name: string }; member: Member; onClose: () => void };

const ARTICLES: Record<Level, string> = { 1: 'a', 8: 'an', 15: 'an' };
const withArticle = (level: Level) => `${ARTICLES[level]} ${labelOf(level).toLowerCase()}`;

/** Sentence about the rights that a member gains or loses with a new level. */
function effectOf(name: string, from: Level, to: Level): string {
  if (to === 15) return `${name} can then do everything that you can: also change and remove owners, you included.`;
  if (to > from) return `${name} can then manage members, invites, project settings and the secret keys of projects.`;
  const lostRights =
    to === 8 ? 'change or remove owners' : 'manage members, project settings or the secret keys of projects';
  return `${name} can no longer ${lostRights}. Pending invites from ${name} to a higher level than ${labelOf(to).toLowerCase()} end at once.`;
}

export function LevelDialog({ organization, member, level, onClose }: Common & { level: Level }) {
  const queries = useQueryClient();
  const name = nameOf(member);
  const changing = useMutation({
    mutationFn: () => changeLevel(organization.id, member, level),
    async onSuccess() {
      showNotice({ text: `${name} is now ${withArticle(level)}.` });
      await queries.invalidateQueries({ queryKey: membersKey(organization.id) });
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Make ${name} ${withArticle(level)}`}
      action="Change level"
      kind={level < member.level ? 'danger' : 'primary'}
      request={changing}
      onSubmit={() => changing.mutate()}
      onClose={onClose}
    >
      <p>{effectOf(name, member.level, level)}</p>
    </FormDialog>
  );
}

export function LeaveDialog({ organization, member, isMe, onClose }: Common & { isMe: boolean }) {
  const queries = useQueryClient();
  const name = nameOf(member);
  const removing = useMutation({
    mutationFn: () => removeMember(organization.id, member),
    async onSuccess() {
      // Reloads the page, because the user may no longer see the data.
      if (isMe) return location.assign('/');
      showNotice({ text: `${name} is no longer a member of ${organization.name}.` });
      await queries.invalidateQueries({ queryKey: membersKey(organization.id) });
      onClose();
    },
  });
  return (
    <FormDialog
      title={isMe ? `Leave ${organization.name}` : `Remove ${name}`}
      action={isMe ? 'Leave' : 'Remove member'}
      kind="danger"
      request={removing}
      onSubmit={() => removing.mutate()}
      onClose={onClose}
    >
      <p>
        {isMe
          ? 'You lose access to all of its projects at once: your keys no longer open them, and the invites that you sent end. You can come back only with a new invite.'
          : `${name} loses access to all projects of ${organization.name} at once: their keys no longer open them, and the invites that they sent end. They can come back only with a new invite.`}
      </p>
    </FormDialog>
  );
}
