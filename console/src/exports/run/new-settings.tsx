/** Changes since a run in progress was planned. The run uses new secrets from its next try on, and keeps all else. */
import { useQuery } from '@tanstack/react-query';
import { useNow } from '../../look/now.ts';
import { formatRelativeTime } from '../../look/time.tsx';
import { useMayEdit } from '../access.ts';
import { isPlanned, isSecret } from './changes.ts';
import { diagnosisQuery } from './diagnosis-data.ts';
import { attemptsQuery, type Run, type RunIds } from './run-data.ts';

const isAfter = (at: string, than: string): boolean => Date.parse(at) > Date.parse(than);

/** @param run in progress; nothing is shown until it is planned, because a plan is made with the present settings */
export function NewSettings({ runIds, run }: { runIds: RunIds; run: Run }) {
  const { data: diagnosis } = useQuery(diagnosisQuery(runIds));
  const { data: attempts } = useQuery(attemptsQuery(runIds, true));
  const mayEdit = useMayEdit(runIds.projectId, runIds.exportId);
  const now = useNow();
  const plan = attempts?.results.find(({ step, error }) => step === 'plan' && error === null);
  if (!plan?.finished_at || run.status === 'Starting') return null;
  const plannedAt = plan.finished_at;
  const changes = (diagnosis?.changes ?? []).filter(({ at }) => isAfter(at, plannedAt));
  const planned = changes.find(isPlanned);
  if (planned)
    return (
      <p>
        The settings were changed {formatRelativeTime(planned.at, now)}, but this run keeps those that it was planned
        with. {mayEdit ? 'Cancel it, and then retry it' : 'Ask an editor to cancel it and retry it'}: the retry uses the
        new ones.
      </p>
    );
  const secret = changes.find(isSecret);
  const isTried = secret && attempts?.results.some(({ started_at }) => isAfter(started_at, secret.at));
  if (secret && !isTried)
    return <p>The credentials were changed {formatRelativeTime(secret.at, now)}; the next try uses the new ones.</p>;
  // Settings cannot fix a failure that names no field.
  if (run.error?.field == null) return null;
  return (
    <p className="quiet">
      If you change the credentials, this run uses them on its next try. If you change anything else, cancel the run and
      retry it: it keeps the settings that it was planned with.
    </p>
  );
}
