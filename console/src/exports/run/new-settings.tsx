/** Changes that were made since a run in progress began. It uses new secrets from its next try on, and keeps all else. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Button } from '../../look/button.tsx';
import { Failure } from '../../look/notes.tsx';
import { showNotice } from '../../look/notice.tsx';
import { useNow } from '../../look/now.ts';
import { formatAgo } from '../../look/time.tsx';
import { useMayEdit } from '../access.ts';
import { diagnosisQuery, type Change } from './diagnosis-data.ts';
import { attemptsQuery, deliverAnew, type Run, type RunPlace } from './run-data.ts';

/** Fields that are in a run's plan, as errors name them. */
const PLANNED = /^(destination__|filters|hogql_query|include_columns|exclude_columns|transformations)/;

const isPlanned = ({ about, fields }: Change) =>
  about === 'batch_export' &&
  fields.some(({ field, before, after }) => PLANNED.test(field) && JSON.stringify(before) !== JSON.stringify(after));

/** Secrets are hidden on both sides, and a change of secrets alone has no field. */
const isSecret = ({ fields }: Change) =>
  fields.length === 0 ||
  fields.some(({ field, before, after }) => field.startsWith('destination__') && before === after);

const isAfter = (at: string, than: string): boolean => Date.parse(at) > Date.parse(than);

export function NewSettings({ place, run }: { place: RunPlace; run: Run }) {
  const { data: diagnosis } = useQuery(diagnosisQuery(place));
  const { data: attempts } = useQuery(attemptsQuery(place, true));
  const mayEdit = useMayEdit(place.projectId, place.exportId);
  const now = useNow();
  const changes = (diagnosis?.changes ?? []).filter(({ at }) => isAfter(at, run.created_at));
  const planned = changes.find(isPlanned);
  if (planned)
    return (
      <>
        <p>
          Changed {formatAgo(planned.at, now)}, but this run keeps the settings that it was planned with
          {mayEdit ? '.' : ': ask an editor to cancel it and retry.'}
        </p>
        {mayEdit && <DeliverAnew place={place} />}
      </>
    );
  const secret = changes.find(isSecret);
  const isTried = secret && attempts?.results.some(({ started_at }) => isAfter(started_at, secret.at));
  if (secret && !isTried) return <p>Changed {formatAgo(secret.at, now)}; the next try uses it.</p>;
  return (
    <p className="quiet">
      This run uses new credentials with its next try, but keeps to the place that it was planned for. If you change the
      place, cancel the run and retry it.
    </p>
  );
}

function DeliverAnew({ place }: { place: RunPlace }) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const delivering = useMutation({
    mutationFn: () => deliverAnew(place),
    async onSuccess() {
      showNotice({ text: 'Cancelled. A new run delivers the data interval with the new settings.' });
      await queries.invalidateQueries({ queryKey: ['exports'] });
      await navigate({ to: '/project/$projectId/exports/$exportId', params: place });
    },
    onError: () => queries.invalidateQueries({ queryKey: ['runs'] }),
  });
  return (
    <div>
      <Button kind="primary" onPress={() => delivering.mutate()} isPending={delivering.isPending}>
        Cancel and deliver with the new settings
      </Button>
      <p className="quiet">
        This run ends without making its data visible, unless its commit has begun. Then a new run delivers the data
        interval with the export’s present settings.
      </p>
      {delivering.isError && <Failure error={delivering.error} />}
    </div>
  );
}
