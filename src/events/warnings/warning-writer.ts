/**
 * Writes ingestion warnings in the background: `note` neither waits nor throws. Pending warnings are grouped by project, code and minute
 * (or day, for warnings that are noted once a day), so a flood of one kind takes no more memory than one group with a few examples.
 */
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { IngestionWarning } from './warnings.ts';
import { EXAMPLES, type WarningMinute, type WarningStore } from './warnings.store.ts';

const WRITE_AFTER_MS = 300;
/** Delay after a failure, so a Postgres in trouble gets fewer writes. */
const WRITE_AGAIN_AFTER_MS = 5_000;
/** Limit of pending warnings; far more than there are while Postgres is available. */
const MAX_PENDING = 5_000;
const KEPT_DAYS = 30;
const FORGET_EVERY_MS = 3_600_000;
const DETAIL_LENGTH = 500;

export type WarningWriter = {
  /** Writes the warnings soon. Never throws. */
  note(projectId: number, warnings: readonly IngestionWarning[]): void;
  /** Tries once to write the pending warnings. */
  drain(): Promise<void>;
};

export function createWarningWriter({ store, log }: { store: WarningStore; log: Logger }): WarningWriter {
  let pending = new Map<string, WarningMinute>();
  let droppedCount = 0;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let forgottenAt = -Infinity;

  function note(projectId: number, warnings: readonly IngestionWarning[]): void {
    if (warnings.length === 0) return;
    const seenAt = new Date().toISOString();
    for (const warning of warnings) addPending(minuteOf(projectId, warning, seenAt));
    writeAfter(WRITE_AFTER_MS);
  }

  function addPending(minute: WarningMinute): void {
    const time = minute.daily ? minute.minute.slice(0, 'yyyy-mm-dd'.length) : minute.minute;
    const key = `${minute.projectId} ${time} ${minute.code}`;
    const pendingMinute = pending.get(key);
    if (!pendingMinute && pending.size >= MAX_PENDING) droppedCount += minute.count;
    else pending.set(key, pendingMinute ? sumOf(pendingMinute, minute) : minute);
  }

  function writeAfter(ms: number): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      void write();
    }, ms);
  }

  /** Runs one write at a time. */
  function write(): Promise<void> {
    writing = writing.then(writePending);
    return writing;
  }

  async function writePending(): Promise<void> {
    const minutes = [...pending.values()];
    pending = new Map();
    try {
      if (minutes.length > 0) await store.add(minutes);
    } catch (error) {
      log.warn({ err: error }, 'ingestion warnings could not be written');
      minutes.forEach(addPending);
      writeAfter(WRITE_AGAIN_AFTER_MS);
    }
    if (droppedCount > 0) log.warn({ dropped: droppedCount }, 'ingestion warnings were dropped: too many are pending');
    droppedCount = 0;
    await forgetOld();
  }

  async function forgetOld(): Promise<void> {
    if (performance.now() < forgottenAt + FORGET_EVERY_MS) return;
    forgottenAt = performance.now();
    await store.forget(KEPT_DAYS).catch((error: Error) => {
      log.warn({ err: error }, 'old ingestion warnings could not be deleted');
    });
  }

  return {
    note,
    async drain() {
      await write();
      clearTimeout(timer);
    },
  };
}

function minuteOf(projectId: number, warning: IngestionWarning, seenAt: string): WarningMinute {
  const { code, detail, distinctId, eventUuid, daily = false } = warning;
  const example = {
    detail: storable(detail.slice(0, DETAIL_LENGTH)),
    seen_at: seenAt,
    ...(distinctId !== undefined && { distinct_id: storable(distinctId) }),
    ...(eventUuid !== undefined && { event_uuid: eventUuid }),
  };
  const minute = `${seenAt.slice(0, 16)}Z`;
  return { projectId, code, minute, count: 1, lastSeen: seenAt, examples: [example], daily };
}

/** Replaces characters that `jsonb` refuses, because one such text would keep all others from being written. */
function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}

function sumOf(a: WarningMinute, b: WarningMinute): WarningMinute {
  if (a.daily) return a;
  const [newer, older] = a.lastSeen > b.lastSeen ? [a, b] : [b, a];
  return { ...newer, count: a.count + b.count, examples: [...newer.examples, ...older.examples].slice(0, EXAMPLES) };
}
