/** How an error ends: links to the field to correct or to the run with the details, and the time of the next try. */
import { Link } from '@tanstack/react-router';
import { formatDuration } from '../../look/time.tsx';
import { editAddress, runAddress } from '../addresses.ts';

export type ErrorLinksProps = {
  of: Parameters<typeof runAddress>[0];
  /** Name of the export, for labels. */
  name: string;
  error: { field: string | null; runId: string | null; canFix: boolean } | null;
  canEdit: boolean;
};

/** Viewers read why, and whom to ask. */
export function ErrorLinks({ of, name, error, canEdit }: ErrorLinksProps) {
  return (
    <>
      {canEdit && error?.canFix && (
        <>
          <Link to={editAddress(of, error.field) as string} aria-label={`Fix ${name}`}>
            Fix
          </Link>{' '}
        </>
      )}
      {error?.runId && (
        <>
          <Link to={runAddress(of, error.runId) as string} aria-label={`Why ${name} failed`}>
            Why
          </Link>{' '}
        </>
      )}
      {!canEdit && 'You can look at this export; ask an editor to retry. '}
    </>
  );
}

type Fault = { field: string | null; owner: string } | null | undefined;

/** Whether the form may hold the cause. What looks like a fault of the destination may come from a wrong address. */
export const isFixable = (fault: Fault): boolean => Boolean(fault && (fault.field || fault.owner === 'destination'));

/** @param at ISO; null: not known */
export function nextTry(at: string | null, now: number): string {
  if (at === null) return 'Sluice will retry it.';
  const seconds = (Date.parse(at) - now) / 1000;
  return seconds > 0
    ? `The next try is in ${formatDuration(Math.ceil(seconds))}.`
    : 'The next try is due or in progress.';
}
