/** The pause of an export in words: by whom, why, and until when. */
import type { components } from '../../api/schema.d.ts';
import { Time } from '../../look/time.tsx';

export type PauseOf = { by: string | null; reason: string | null; resumeAt: string | null; since: string | null };

const OTHERS = { user: null, project_key: 'a key of the project', sluice: 'Sluice', temporal: 'somebody in Temporal' };

export function pauseOf({ by, at, reason, resume_at }: components['schemas']['Pause']): PauseOf {
  return {
    by: by && (by.user ? by.user.first_name || by.user.email : OTHERS[by.kind]),
    reason,
    resumeAt: resume_at,
    since: at,
  };
}

export function PauseWords({ by, reason, resumeAt, since }: PauseOf) {
  return (
    <span>
      Paused{by && ` by ${by}`}
      {!by && since && (
        <>
          {' since '}
          <Time iso={since} />
        </>
      )}
      {reason && `, “${reason.replace(/\.$/, '')}”`}
      {resumeAt && (
        <>
          ; resumes <Time iso={resumeAt} weekday />
        </>
      )}
      .
    </span>
  );
}
