/** The head of an export's page: its name, how far it is complete, and actions on the whole export. */
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, ButtonLink } from '../../look/button.tsx';
import { MenuButton } from '../../look/menu/menu.tsx';
import { showNotice } from '../../look/notice.tsx';
import { LiveMark } from '../../live/live-mark.tsx';
import { editAddress } from '../addresses.ts';
import { schedulePreviewQuery } from '../form/schedule-data.ts';
import { exportKeys } from '../query-keys.ts';
import { isOfCalendar } from '../words/cadence.ts';
import { destinationWords } from '../words/destination.ts';
import { Freshness } from '../words/freshness.tsx';
import { Missed } from '../words/missed.tsx';
import { pauseOf, PauseWords } from '../words/pause.tsx';
import { DeleteDialog, UnpauseDialog } from './ask-dialogs.tsx';
import { pause, type ExportBody } from './export-data.ts';
import { deliveredOf, type IntervalMap } from './interval-map.ts';
import { PauseDialog } from './pause-dialog.tsx';
import { SkipLink } from './skip-link.tsx';
import styles from './export.module.css';

type DialogName = 'pause' | 'unpause' | 'delete';

type HeaderProps = {
  projectId: number;
  one: ExportBody;
  /** Undefined: not known yet. */
  map: IntervalMap | undefined;
  mayEdit: boolean | undefined;
};

export function ExportHeader({ projectId, one, map, mayEdit }: HeaderProps) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<DialogName>();
  const { id, name, paused } = one;
  const missed = map?.missed_while_paused;
  const onClose = () => setAsked(undefined);

  const first = useFirstInterval(projectId, one);

  async function onChanged() {
    await queries.invalidateQueries({ queryKey: exportKeys.one(projectId, id) });
    await queries.invalidateQueries({ queryKey: exportKeys.intervals(projectId, id) });
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
  }
  async function onDeleted() {
    await navigate({ to: '/project/$projectId/exports', params: { projectId } });
    showNotice({ text: `${name} was deleted.` });
    await queries.invalidateQueries({ queryKey: exportKeys.all(projectId) });
  }
  return (
    <>
      <header className={styles.header}>
        <h1>
          {name} <span aria-hidden>→</span>
          <span className="visually-hidden">to</span> <span className="quiet">{destinationWords(one.destination)}</span>
        </h1>
        {map && map.codes.length > 0 && <SkipLink />}
        <LiveMark />
        {mayEdit && (
          <>
            <Button onPress={() => setAsked(paused ? 'unpause' : 'pause')}>{paused ? 'Unpause' : 'Pause'}</Button>
            <ButtonLink to={editAddress({ projectId, exportId: id })}>Edit</ButtonLink>
            <MenuButton label="More" actions={{ Delete: () => setAsked('delete') }} />
          </>
        )}
      </header>
      {/* Of a new export this says what is delivered next, which is the first thing to know. */}
      <p className={one.complete_until === null ? undefined : 'quiet'}>
        {one.pause ? (
          <PauseWords {...pauseOf(one.pause)} />
        ) : (
          <Freshness
            completeUntil={one.complete_until}
            lagSeconds={one.lag_seconds}
            targetSeconds={one.freshness_target_seconds}
            interval={one.interval}
            inNextInterval={one.created_at}
            startAt={one.start_at}
            first={first}
            delivered={map ? deliveredOf(map) : null}
            hasTroubles={map !== undefined && map.needs_you.length + map.retrying.length > 0}
          />
        )}
      </p>
      {mayEdit === false && (
        <p className="quiet">You can look at this export; ask an editor to pause, change or deliver it.</p>
      )}
      {missed && (
        <p className={styles.missed}>
          <Missed of={{ projectId, exportId: id }} interval={one.interval} missed={missed} canEdit={mayEdit} />
        </p>
      )}
      {asked === 'pause' && (
        <PauseDialog what={name} pause={(notes) => pause(projectId, id, notes).then(onChanged)} onClose={onClose} />
      )}
      {asked === 'unpause' && <UnpauseDialog {...{ projectId, one, missed, onClose }} onDone={onChanged} />}
      {asked === 'delete' && <DeleteDialog {...{ projectId, one, onClose }} onDone={onDeleted} />}
    </>
  );
}

/** @returns the interval under way of an export by days, weeks or months none of whose intervals has ended */
function useFirstInterval(projectId: number, one: ExportBody): { start: string; end: string } | undefined {
  const { data } = useQuery({
    ...schedulePreviewQuery(projectId, one, { count: 1 }),
    enabled: isOfCalendar(one.interval) && one.complete_until === null && one.lag_seconds === 0,
  });
  const run = data?.runs[0];
  return run && { start: run.data_interval_start, end: run.data_interval_end };
}
