/** Batch exports as they stand in their table. */
import { anyDestination } from '../destinations/index.ts';
import type { Notifications } from '../../platform/notify/notice.ts';
import type { BatchExportChange } from './batch-export.ts';
import type { BatchExport } from './batch-export.ts';
import type { Cadence } from '../domain/cadence.ts';
import type { ContentSettings, Model } from '../../conditions/rows/content.ts';
import type { OpenPause } from '../pauses/pauses.store.ts';
import { integrationFromRow, type Integration, type IntegrationRow } from '../integrations/integrations.store.ts';

/** A row of `batch_exports` with its integration. */
export type Row = {
  id: string;
  project_id: number;
  created_by: number | null;
  name: string;
  model: Model;
  content: ContentSettings;
  hash_key: string | null;
  destination_type: string;
  destination_config: Record<string, unknown>;
  destination_secrets: string | null;
  integration_id: number | null;
  integration: IntegrationRow | null;
  key_space: string;
  interval: string;
  timezone: string;
  offset_day: number;
  offset_hour: number;
  jitter_seconds: number;
  max_concurrent_runs: number;
  paused: boolean;
  last_paused_at: string | null;
  paused_reason: string | null;
  pause: OpenPause | null;
  freshness_target_seconds: number | null;
  redeliver_stale: boolean;
  notifications: Notifications | null;
  notification_secret: string | null;
  start_at: string | null;
  end_at: string | null;
  created_at: string;
  last_updated_at: string;
  deleted_at: string | null;
  version: string;
};

export function fromRow(row: Row): BatchExport {
  return {
    id: row.id,
    projectId: row.project_id,
    createdBy: row.created_by,
    name: row.name,
    model: row.model,
    content: row.content,
    hashKey: row.hash_key,
    destinationType: row.destination_type,
    destinationConfig: { ...former(row.destination_type), ...row.destination_config },
    destinationSecrets: row.destination_secrets,
    integration: row.integration && integrationFromRow(row.integration),
    keySpace: row.key_space,
    ...cadenceFromRow(row),
    jitterSeconds: row.jitter_seconds,
    maxConcurrentRuns: row.max_concurrent_runs,
    paused: row.paused,
    lastPausedAt: row.last_paused_at,
    pausedReason: row.paused_reason,
    pause: row.pause,
    freshnessTargetSeconds: row.freshness_target_seconds,
    redeliverStale: row.redeliver_stale,
    notifications: row.notifications,
    notificationSecret: row.notification_secret,
    startAt: row.start_at,
    endAt: row.end_at,
    createdAt: row.created_at,
    lastUpdatedAt: row.last_updated_at,
    version: row.version,
  };
}

/** The configuration of a row that is older than some of its fields. */
function former(type: string): Readonly<Record<string, unknown>> | undefined {
  return anyDestination(type).former;
}

export type CadenceRow = Pick<Row, 'interval' | 'timezone' | 'offset_day' | 'offset_hour'>;

export function cadenceFromRow({ interval, timezone, offset_day, offset_hour }: CadenceRow): Cadence {
  return { interval, timezone, offsetDay: offset_day, offsetHour: offset_hour };
}

export function cadenceColumns({ interval, timezone, offsetDay, offsetHour }: Cadence): CadenceRow {
  return { interval, timezone, offset_day: offsetDay, offset_hour: offsetHour };
}

const COLUMN: Record<keyof BatchExportChange, keyof Row> = {
  name: 'name',
  content: 'content',
  hashKey: 'hash_key',
  destinationType: 'destination_type',
  destinationConfig: 'destination_config',
  destinationSecrets: 'destination_secrets',
  integration: 'integration_id',
  keySpace: 'key_space',
  interval: 'interval',
  timezone: 'timezone',
  offsetDay: 'offset_day',
  offsetHour: 'offset_hour',
  jitterSeconds: 'jitter_seconds',
  maxConcurrentRuns: 'max_concurrent_runs',
  paused: 'paused',
  lastPausedAt: 'last_paused_at',
  pausedReason: 'paused_reason',
  freshnessTargetSeconds: 'freshness_target_seconds',
  redeliverStale: 'redeliver_stale',
  notifications: 'notifications',
  notificationSecret: 'notification_secret',
  startAt: 'start_at',
  endAt: 'end_at',
};

/** Columns as they are stored. */
export function toColumns(change: BatchExportChange): Record<string, unknown> {
  const entries = Object.entries(change) as [keyof BatchExportChange, unknown][];
  return Object.fromEntries(
    entries
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [
        COLUMN[name],
        name === 'integration' ? ((value as Integration | null)?.id ?? null) : value,
      ]),
  );
}
