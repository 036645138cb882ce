/** Errors of the file system, as one of our two. They name paths; ours say only what to do. */
import { DestinationRejected, DestinationUnavailable } from '../../../platform/errors.ts';

const UNUSABLE = 'The directory or prefix cannot be used. Choose another one.';
const FORBIDDEN = 'The worker may not write to the export folder.';
const FULL = 'There is no space left in the export folder.';
const AWAY = 'The export folder cannot be used at the moment.';

/** Codes that another attempt meets again: the configuration names something that is no folder. */
const FINAL: Record<string, string> = { EISDIR: UNUSABLE, ENOTDIR: UNUSABLE, ELOOP: UNUSABLE, ENAMETOOLONG: UNUSABLE };

/** Codes that a full disk, a volume that is mounted again or restored, or a server of network files gives for a while. */
const PASSING: Record<string, string> = {
  ENOSPC: FULL,
  EDQUOT: FULL,
  EACCES: FORBIDDEN,
  EPERM: FORBIDDEN,
  EROFS: 'The export folder is read-only.',
  EIO: AWAY,
  EMFILE: AWAY,
  ENFILE: AWAY,
  EBUSY: AWAY,
  ENOENT: AWAY,
  ENODEV: AWAY,
  ENXIO: AWAY,
  ENOTCONN: AWAY,
  ESTALE: AWAY,
  ETIMEDOUT: AWAY,
};

/**
 * The consequence of a system's error code for a run.
 * @returns `final`: the same delivery would meet it again for ever; `advice`: a sentence for the user; undefined for other codes
 */
export function consequenceOf(code: string): { final: boolean; advice: string } | undefined {
  if (Object.hasOwn(FINAL, code)) return { final: true, advice: FINAL[code]! };
  if (Object.hasOwn(PASSING, code)) return { final: false, advice: PASSING[code]! };
  return undefined;
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}

/** @throws always: DestinationRejected, DestinationUnavailable, or the error itself when it is not the file system's */
export function translate(error: unknown): never {
  const consequence = consequenceOf(codeOf(error));
  if (!consequence) throw error;
  const { final, advice } = consequence;
  throw final
    ? new DestinationRejected(advice, { cause: error })
    : new DestinationUnavailable(advice, { cause: error });
}
