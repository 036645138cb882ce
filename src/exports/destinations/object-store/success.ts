/**
 * The mark of a delivered interval, for programs that wait for `_SUCCESS`. It is written once, after the first complete manifest, and never removed:
 * as long as names stay versioned, a complete manifest is only ever replaced by another one.
 */
import { Superseded } from '../../../platform/errors.ts';
import { openUpload, reveal, stage, type FileSession } from './staging.ts';

/** Writes the mark unless it is there. The manifest must be complete. */
export async function markSuccess(session: FileSession): Promise<void> {
  const { store, names, context } = session;
  if (names.success === undefined || (await store.head(names.success))) return;
  try {
    const staged = await stage(session, await openUpload(session, names.success), noBytes());
    await context.step('success');
    await reveal(session, staged, 'absent');
    await context.artifacts.discard([staged.artifactId]);
  } catch (error) {
    // A later run writes the mark itself.
    if (!(error instanceof Superseded)) throw error;
  }
}

async function* noBytes(): AsyncGenerator<Uint8Array> {}
