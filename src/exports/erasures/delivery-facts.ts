/** Facts about the deliveries of a data interval that had rows of an erasure. */
import type { RemainderReason } from '../../events/table/erasing.ts';
import type { Content } from '../../conditions/rows/content.ts';
import type { PinnedDestination } from '../domain/plan.ts';
import type { RunStatus } from '../domain/statuses.ts';

export type DeliveryPlace = Omit<PinnedDestination, 'config'>;

/** How far a delivery has been read back and searched for the persons. */
export type DeliverySearch = {
  runId: string;
  /** Number of files that were read; null once all were. */
  filesRead: number | null;
  /** Rows of the persons in these files that the source does not have. */
  rowsFound: number;
  /** Failures since a file was read. */
  failures: number;
};

/** Facts about one interval of an erasure; "before" and "later" are relative to the deletion of the rows. */
export type DeliveryFacts = {
  /** Present values. */
  reason: RemainderReason | null;
  keptUntil: string | null;
  /** How often a re-delivery was requested, whether a request is open, and whether the pause after the last one is over. */
  requests: number;
  isRequested: boolean;
  hasWaited: boolean;
  isCommitting: boolean;
  /** Whether what a run left half way could not be settled for days. */
  isStuck: boolean;
  /** Whether settling an interrupted commit was given up: it may have succeeded. */
  isInDoubt: boolean;
  /** Files or tables of runs before that belong to no delivery. */
  leftovers: { areGivenUp: boolean } | null;
  /** Whether a delivery of another timeline waits for an operator's decision. */
  isForeign: boolean;
  newestRun: { status: RunStatus; errorCode: string | null; isLater: boolean } | null;
  /** The run that delivered last, and where; the place is null in plans of earlier versions. */
  deliveredRunId: string | null;
  place: DeliveryPlace | null;
  /** Content of that run. */
  content: Content | null;
  /** Types of the destinations of deliveries before; null in plans of earlier versions. */
  typesBefore: readonly (string | null)[];
  /** The same of all runs before that had a plan: some destinations get rows before there is a receipt. */
  typesPlanned: readonly (string | null)[];
  isHeldHere: boolean;
  /** Whether the ids of the persons are still known. */
  isSearchable: boolean;
  /** The last search, perhaps of an earlier run's delivery, and whether the pause after a failure of it is over. */
  search: DeliverySearch | null;
  hasSearchWaited: boolean;
  /** Whether the interval was delivered to another place before, and not again later. */
  isHeldElsewhere: boolean;
  /** Files of earlier deliveries that are to be deleted, and when, if that is known. */
  superseded: { until: string | null } | null;
};

export type DeliveryState = {
  state: 'held' | 'clean' | 'remainder';
  reason?: RemainderReason;
  keptUntil?: string | null;
  runId?: string | null;
  /** Whether the interval is to be delivered again now. */
  isDue?: boolean;
  /** Whether the delivery of the run is to be searched now. */
  isToSearch?: boolean;
};
