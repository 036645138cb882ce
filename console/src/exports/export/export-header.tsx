/** The head of an export's page: its name, how far it is complete, and actions on the whole of it. */
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api, done, messageOf } from '../../api/client.ts';
import type { components } from '../../api/schema.d.ts';
import { Button, ButtonLink } from '../../look/button.tsx';
import { Actions, Dialog } from '../../look/dialog.tsx';
import { TextField } from '../../look/field.tsx';
import { editAddress } from '../addresses.ts';
import { exportKeys } from '../query-keys.ts';
import { countIntervals } from '../words/cadence.ts';
import { destinationWords } from '../words/destination.ts';
import { Freshness } from '../words/freshness.tsx';
import { PauseWords } from '../words/pause.tsx';
import type { ExportBody } from './export-data.ts';
import styles from './export.module.css';

type Missed = components['schemas']['MissedIntervals'] | null;
type Asked = 'pause' | 'unpause' | 'delete';

export function ExportHeader({ projectId, one, missed }: { projectId: number; one: ExportBody; missed: Missed }) {
  const [asked, setAsked] = useState<Asked>();
  const { id, name, paused } = one;
  return (
    <>
      <header className={styles.header}>
        <h1>
          {name} <span aria-hidden>→</span>
          <span className="visually-hidden">to</span> <span className="quiet">{destinationWords(one.destination)}</span>
        </h1>
        <Button onPress={() => setAsked(paused ? 'unpause' : 'pause')}>{paused ? 'Unpause' : 'Pause'}</Button>
        <ButtonLink to={editAddress({ projectId, exportId: id })}>Edit</ButtonLink>
        <Button kind="danger" onPress={() => setAsked('delete')}>
          Delete
        </Button>
      </header>
      <p className="quiet">
        {paused ? (
          <PauseWords
            by={one.paused_reason ? 'Sluice' : null}
            reason={one.paused_reason}
            resumeAt={null}
            since={one.last_paused_at}
          />
        ) : (
          <Freshness
            completeUntil={one.complete_until}
            lagSeconds={one.lag_seconds}
            targetSeconds={one.freshness_target_seconds}
            interval={one.interval}
            createdAt={one.created_at}
          />
        )}
      </p>
      {missed && (
        <p className={styles.missed}>
          {countIntervals(missed.intervals, one.interval)} {missed.intervals === 1 ? 'was' : 'were'} missed while
          paused.
          <Link
            to="/project/$projectId/exports/$exportId"
            params={{ projectId, exportId: id }}
            search={{ start: missed.start_at, end: missed.end_at }}
          >
            Deliver them
          </Link>
        </p>
      )}
      {asked && (
        <Ask asked={asked} projectId={projectId} one={one} missed={missed} onClose={() => setAsked(undefined)} />
      )}
    </>
  );
}

const TITLES: Readonly<Record<Asked, string>> = { pause: 'Pause', unpause: 'Unpause', delete: 'Delete' };

type AskProps = { asked: Asked; projectId: number; one: ExportBody; missed: Missed; onClose: () => void };

function Ask({ asked, projectId, one, missed, onClose }: AskProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [typed, setTyped] = useState('');
  const params = { path: { project_id: projectId, id: one.id } };
  const act = useMutation({
    mutationFn: (backfill: boolean) =>
      done<unknown>(
        asked === 'pause'
          ? api.POST('/api/environments/{project_id}/batch_exports/{id}/pause/', { params })
          : asked === 'unpause'
            ? api.POST('/api/environments/{project_id}/batch_exports/{id}/unpause/', { params, body: { backfill } })
            : api.DELETE('/api/environments/{project_id}/batch_exports/{id}/', { params }),
      ),
    async onSuccess() {
      if (asked === 'delete') await navigate({ to: '/project/$projectId/exports', params: { projectId } });
      else {
        onClose();
        await queries.invalidateQueries({ queryKey: exportKeys.one(projectId, one.id) });
        await queries.invalidateQueries({ queryKey: exportKeys.intervals(projectId, one.id) });
      }
      await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
    },
  });
  const isDelete = asked === 'delete';
  return (
    <Dialog title={`${TITLES[asked]} ${one.name}`} isOpen onClose={onClose}>
      {asked === 'pause' && <p>Runs in progress go on; none starts by itself until the export is unpaused.</p>}
      {asked === 'unpause' && (
        <p>
          {missed
            ? `${countIntervals(missed.intervals, one.interval)} ended during the pause and can be delivered now.`
            : 'Its intervals are delivered again from now on.'}
        </p>
      )}
      {isDelete && (
        <>
          <p>Its runs are cancelled. What was delivered stays.</p>
          <TextField label={`Type ${one.name} to delete it`} value={typed} onChange={setTyped} autoFocus />
        </>
      )}
      {act.isError && <p role="alert">{messageOf(act.error)}</p>}
      <Actions>
        {asked === 'unpause' && missed && (
          <Button kind="primary" isPending={act.isPending} onPress={() => act.mutate(true)}>
            Unpause and deliver them
          </Button>
        )}
        <Button
          kind={isDelete ? 'danger' : missed && asked === 'unpause' ? 'plain' : 'primary'}
          isDisabled={isDelete && typed !== one.name}
          isPending={act.isPending}
          onPress={() => act.mutate(false)}
        >
          {TITLES[asked]}
        </Button>
        <Button kind="quiet" onPress={onClose}>
          Cancel
        </Button>
      </Actions>
    </Dialog>
  );
}
