/** Intervals that the latest pause has left out, and a link to a plan that delivers them. */
import { Link } from '@tanstack/react-router';
import type { components } from '../../api/schema.d.ts';
import type { ExportPath } from '../addresses.ts';
import { countIntervals } from './cadence.ts';

type MissedProps = {
  of: ExportPath;
  interval: string;
  missed: components['schemas']['MissedIntervals'];
  canEdit: boolean | undefined;
};

export function Missed({ of, interval, missed: { intervals, start_at: start, end_at: end }, canEdit }: MissedProps) {
  return (
    <>
      Missed while paused: {countIntervals(intervals, interval)}.{' '}
      {canEdit && (
        <Link to="/project/$projectId/exports/$exportId" params={of} search={{ start, end, since: start }}>
          Deliver now
        </Link>
      )}
    </>
  );
}
