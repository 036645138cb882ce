/** A stored batch export. */
import type { Model, ContentSettings } from '../../conditions/rows/content.ts';
import type { Notifications } from '../../platform/notify/notice.ts';
import type { Cadence } from '../domain/cadence.ts';
import type { OpenPause } from '../pauses/pauses.store.ts';
import type { Integration } from '../integrations/integrations.store.ts';

export type BatchExport = Cadence & {
  id: string;
  projectId: number;
  /** null if a key of the project created the export, or a user who was deleted. */
  createdBy: number | null;
  name: string;
  model: Model;
  content: ContentSettings;
  /** Encrypted; null until something is hashed. */
  hashKey: string | null;
  destinationType: string;
  /** Without secrets. */
  destinationConfig: Record<string, unknown>;
  /** Encrypted; null when the configuration has no secret. */
  destinationSecrets: string | null;
  /** Integration that completes the configuration. */
  integration: Integration | null;
  keySpace: string;
  /** Maximum random delay of a run's start, so many exports do not start at once. */
  jitterSeconds: number;
  /** Limit of requested runs under way at once. */
  maxConcurrentRuns: number;
  paused: boolean;
  lastPausedAt: string | null;
  /** Reason of an automatic pause; null when a person paused it. */
  pausedReason: string | null;
  /** The present pause; null if there is none, or if it began before pauses were stored. */
  pause: OpenPause | null;
  /** Time for which an interval may be due before a notice is sent; null for no notices. */
  freshnessTargetSeconds: number | null;
  /** Whether stale intervals are delivered again automatically. */
  redeliverStale: boolean;
  notifications: Notifications | null;
  /** The webhook’s secret, encrypted. */
  notificationSecret: string | null;
  /** Instant before which events of the project are hidden or gone; null while all are kept. */
  retainedFrom: string | null;
  startAt: string | null;
  endAt: string | null;
  createdAt: string;
  lastUpdatedAt: string;
  /** Raised by every change, so Sluice sets the schedule again. */
  version: string;
};

/** Fields that a change may set; all others stay, or are derived. */
export type BatchExportChange = Partial<
  Omit<
    BatchExport,
    'id' | 'projectId' | 'createdBy' | 'model' | 'pause' | 'retainedFrom' | 'createdAt' | 'lastUpdatedAt' | 'version'
  >
>;
