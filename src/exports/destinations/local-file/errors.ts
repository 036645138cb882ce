/** Translates errors of the file system, which name paths, to our two errors, which say only what to do. */
import { codesByRawCode, type KnownFault } from '../faults.ts';
import { LOCAL_FILE_FAULTS, localFileFault } from './faults.ts';

const BY_CODE = codesByRawCode(LOCAL_FILE_FAULTS);

/**
 * The consequence of a system's error code for a run.
 * @returns `final`: the same delivery would always fail with it; `advice`: a sentence for the user; undefined for other codes
 */
export function consequenceOf(code: string): { final: boolean; advice: string } | undefined {
  const fault = BY_CODE.get(code);
  if (fault === undefined) return undefined;
  const { final = false, sentence }: KnownFault = LOCAL_FILE_FAULTS[fault];
  return { final, advice: sentence };
}

export function hasCode(error: unknown, ...codes: string[]): boolean {
  return codes.includes(codeOf(error));
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException | undefined)?.code ?? '';
}

/** @throws always: DestinationRejected, DestinationUnavailable, or the error itself if the file system did not raise it */
export function translate(error: unknown): never {
  const fault = BY_CODE.get(codeOf(error));
  throw fault === undefined ? error : localFileFault(fault, { cause: error });
}
