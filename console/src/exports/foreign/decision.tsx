/** Two deliveries of an interval, theirs and ours, and the choice between them. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { messageOf } from '../../api/client.ts';
import { Button } from '../../look/button.tsx';
import { Actions, FormDialog } from '../../look/dialog.tsx';
import { formatBytes, Time } from '../../look/time.tsx';
import { useMayEdit } from '../access.ts';
import { exportQuery } from '../export/export-data.ts';
import { IntervalTime } from '../words/interval-time.tsx';
import { decide, type ForeignDelivery, type Side } from './foreign-data.ts';
import { quantity } from '../words/quantity.ts';
import styles from './foreign.module.css';

type DecisionProps = {
  projectId: number;
  exportId: string;
  theirs: ForeignDelivery;
  /** Rows that this database has for the interval; null: not counted. */
  ourRows: number | null;
};

export function Decision({ projectId, exportId, theirs, ourRows }: DecisionProps) {
  const queries = useQueryClient();
  const [isAsked, setAsked] = useState(false);
  const mayEdit = useMayEdit(projectId, exportId);
  const { data: cadence } = useQuery(exportQuery(projectId, exportId));
  const choice = useMutation({
    mutationFn: (side: Side) => decide(projectId, exportId, theirs.id, side),
    async onSuccess() {
      setAsked(false);
      for (const kind of ['intervals', 'exports', 'export', 'runs'])
        await queries.invalidateQueries({ queryKey: [kind] });
    },
  });
  return (
    <article className={styles.decision}>
      <h3>
        <IntervalTime start={theirs.data_interval_start} end={theirs.data_interval_end} cadence={cadence} />
      </h3>
      <div className={styles.sides}>
        <dl aria-label="Theirs">
          <dt>theirs</dt>
          <dd>
            {quantity(theirs.rows, 'row')}, {formatBytes(theirs.bytes)}
          </dd>
          <dd className="id">{theirs.location}</dd>
          <dd className="quiet">
            found <Time iso={theirs.found_at} />, timeline {theirs.timeline?.slice(0, 8) ?? 'not recorded'}, epoch{' '}
            {theirs.epoch}
          </dd>
        </dl>
        <dl aria-label="Ours">
          <dt>ours</dt>
          <dd>{ourRows === null ? 'rows not counted yet' : quantity(ourRows, 'row')}, not delivered</dd>
          <dd className="quiet">A new run would deliver ours, and replace theirs.</dd>
        </dl>
      </div>
      {theirs.interrupted && <p>Their commit broke off half-way, so readers ignore it. Only ours can be accepted.</p>}
      {choice.isError && !isAsked && <p role="alert">{messageOf(choice.error)}</p>}
      {choice.isSuccess && (
        <p role="status">
          {choice.variables === 'theirs' ? 'Theirs is accepted.' : 'Requested. A new run replaces theirs.'}
        </p>
      )}
      {mayEdit === false && <p>You can look at this export; ask an editor to decide.</p>}
      {mayEdit && !choice.isSuccess && (
        <Actions>
          <Button
            kind="primary"
            isDisabled={theirs.interrupted || choice.isPending}
            isPending={choice.isPending && choice.variables === 'theirs'}
            onPress={() => choice.mutate('theirs')}
          >
            Accept theirs
          </Button>
          <Button
            kind="danger"
            isDisabled={choice.isPending}
            isPending={choice.isPending && choice.variables === 'ours'}
            onPress={() => {
              choice.reset();
              setAsked(true);
            }}
          >
            Ours
          </Button>
        </Actions>
      )}
      {isAsked && (
        <FormDialog
          title="Replace theirs?"
          action="Replace theirs"
          kind="danger"
          request={choice}
          onSubmit={() => choice.mutate('ours')}
          onClose={() => setAsked(false)}
        >
          <p>
            A new run delivers ours and replaces theirs ({quantity(theirs.rows, 'row')}). What only theirs has is gone
            then.
          </p>
        </FormDialog>
      )}
    </article>
  );
}
