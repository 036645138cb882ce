/**
 * Notifications of changes of exports, on the channel `sluice_export_changes`, for clients that follow exports: by triggers, so
 * that no store can forget them. A payload names rows and holds nothing of their content.
 *
 * Only tables of exports have such triggers, and none that events are stored in: Postgres lets transactions that notify commit one
 * after another. For the same reason there are none for what no client shows: leases, claims, heartbeats.
 */
import type { Knex } from '../src/platform/db/connection.ts';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(CHANGE);
  await knex.raw(EXPORTS);
  await knex.raw(RUNS);
  await knex.raw(INTERVALS);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function notify_export, notify_export_of_health, notify_export_run, notify_export_backfill, notify_export_log,
      notify_export_interval, notify_export_intervals, notify_export_requests cascade;
    drop function notify_export_change;
  `);
}

const CHANGE = `
  -- The payload: kind, project, creator of the export, export, run, start and end of the intervals; "-" stands for null.
  create function notify_export_change(kind text, export_id uuid, run_id uuid, starts_at timestamptz, ends_at timestamptz)
  returns void language sql as $$
    select pg_notify('sluice_export_changes', concat_ws(' ', kind, project_id, coalesce(created_by::text, '-'), id,
      coalesce(run_id::text, '-'),
      coalesce(to_char(starts_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '-'),
      coalesce(to_char(ends_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '-')))
    from batch_exports where id = export_id
  $$;
`;

/** The reconciler's own notes, written every minute, are no change that a client shows. */
const EXPORTS = `
  create function notify_export() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('export', new.id, null, null, null);
    return null;
  end $$;
  create trigger batch_exports_notify_insert after insert on batch_exports
    for each row execute function notify_export();
  create trigger batch_exports_notify_update after update on batch_exports
    for each row when ((old.version, old.last_updated_at) is distinct from (new.version, new.last_updated_at))
    execute function notify_export();

  create function notify_export_of_health() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('export', new.batch_export_id, null, null, null);
    return null;
  end $$;
  create trigger batch_export_health_notify_insert after insert on batch_export_health
    for each row when (coalesce(new.failing_since, new.behind_since, new.overlapping_since, new.keeping_files_since) is not null)
    execute function notify_export_of_health();
  create trigger batch_export_health_notify_update after update on batch_export_health
    for each row when ((old.failing_since, old.behind_since, old.overlapping_since, old.keeping_files_since)
      is distinct from (new.failing_since, new.behind_since, new.overlapping_since, new.keeping_files_since))
    execute function notify_export_of_health();
`;

const RUNS = `
  create function notify_export_run() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('run', new.batch_export_id, new.id, new.data_interval_start, new.data_interval_end);
    return null;
  end $$;
  create trigger batch_export_runs_notify_insert after insert on batch_export_runs
    for each row execute function notify_export_run();
  create trigger batch_export_runs_notify_update after update on batch_export_runs
    for each row when ((old.status, old.epoch, old.records_total_count, old.records_completed, old.finished_at, old.latest_error,
        old.error_code, old.next_try_at, old.verified_at)
      is distinct from (new.status, new.epoch, new.records_total_count, new.records_completed, new.finished_at, new.latest_error,
        new.error_code, new.next_try_at, new.verified_at))
    execute function notify_export_run();

  create function notify_export_backfill() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('backfill', new.batch_export_id, null, new.start_at, new.end_at);
    return null;
  end $$;
  create trigger batch_export_backfills_notify after insert or update on batch_export_backfills
    for each row execute function notify_export_backfill();

  create function notify_export_log() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('log', new.batch_export_id, new.run_id, null, null);
    return null;
  end $$;
  create trigger batch_export_logs_notify after insert on batch_export_logs
    for each row execute function notify_export_log();
`;

const INTERVALS = `
  -- The destination's content of an interval.
  create function notify_export_interval() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('interval', new.batch_export_id, null, new.data_interval_start, new.data_interval_end);
    return null;
  end $$;
  create trigger batch_export_intervals_notify_insert after insert on batch_export_intervals
    for each row when (new.receipt is not null) execute function notify_export_interval();
  create trigger batch_export_intervals_notify_update after update on batch_export_intervals
    for each row when (old.receipt is distinct from new.receipt) execute function notify_export_interval();

  -- One notification per statement and export: backfills write requests by thousands, imports make as many intervals stale.
  create function notify_export_intervals() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('interval', batch_export_id, null, min(data_interval_start), max(data_interval_end))
      from touched group by batch_export_id;
    return null;
  end $$;
  create trigger batch_export_troubles_notify_insert after insert on batch_export_troubles
    referencing new table as touched for each statement execute function notify_export_intervals();
  create trigger batch_export_troubles_notify_update after update on batch_export_troubles
    referencing new table as touched for each statement execute function notify_export_intervals();
  create trigger batch_export_troubles_notify_delete after delete on batch_export_troubles
    referencing old table as touched for each statement execute function notify_export_intervals();
  create trigger foreign_deliveries_notify_insert after insert on foreign_deliveries
    referencing new table as touched for each statement execute function notify_export_intervals();
  create trigger foreign_deliveries_notify_update after update on foreign_deliveries
    referencing new table as touched for each statement execute function notify_export_intervals();
  create trigger foreign_deliveries_notify_delete after delete on foreign_deliveries
    referencing old table as touched for each statement execute function notify_export_intervals();
  create trigger batch_export_requests_notify_insert after insert on batch_export_requests
    referencing new table as touched for each statement execute function notify_export_intervals();

  create function notify_export_requests() returns trigger language plpgsql as $$
  begin
    perform notify_export_change('interval', batch_export_id, null, min(data_interval_start), max(data_interval_end))
      from touched join earlier using (id, batch_export_id, data_interval_start, data_interval_end)
      where touched.closed_at is distinct from earlier.closed_at or touched.kind <> earlier.kind
      group by batch_export_id;
    return null;
  end $$;
  create trigger batch_export_requests_notify_update after update on batch_export_requests
    referencing old table as earlier new table as touched for each statement execute function notify_export_requests();
`;
