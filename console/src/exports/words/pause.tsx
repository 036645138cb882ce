/** The pause of an export in words: by whom, why, and until when. */
import { Time } from '../../look/time.tsx';

export type PauseOf = { by: string | null; reason: string | null; resumeAt: string | null; since: string | null };

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
      {reason && `, “${reason}”`}
      {resumeAt && (
        <>
          ; resumes <Time iso={resumeAt} weekday />
        </>
      )}
      .
    </span>
  );
}
