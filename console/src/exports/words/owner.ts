/** The people who can end an error. */
import type { components } from '../../api/schema.d.ts';

type Owner = NonNullable<components['schemas']['BatchExportRun']['error']>['owner'];

export const OWNERS: Readonly<Record<Owner, { label: string; sentence: string }>> = {
  you: { label: 'for you to fix', sentence: 'The people who configure this export can fix it.' },
  destination: {
    label: 'at the destination',
    sentence: 'The destination’s operators can fix it, or it may resolve automatically.',
  },
  sluice: {
    label: 'in Sluice',
    sentence: 'The operators of this installation can fix it, or it may resolve automatically.',
  },
};

/** @returns who can end an error; a destination that seems to be at fault may only have a wrong address */
export const ownerSentence = ({ owner, field }: { owner: Owner; field: string | null }): string =>
  field !== null && owner === 'destination'
    ? `Check the field. If it is right: ${OWNERS.destination.sentence}`
    : OWNERS[owner].sentence;
