/** Faults that all destinations of files share. */
import { errorMaker, type KnownFault } from '../faults.ts';

export const OBJECT_STORE_FAULTS = {
  upload_aborted: {
    owner: 'destination',
    sentence: 'The upload was aborted at the destination while it was being written.',
  },
  manifest_foreign: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence:
      'The manifest of the data interval is not of this batch export. Two exports may not write to the same place: choose another prefix.',
  },
  manifest_too_large: {
    owner: 'you',
    field: 'prefix',
    final: true,
    sentence:
      'The manifest of the files that the data interval has had would be too large. Choose another prefix or directory.',
  },
} as const satisfies Record<string, KnownFault>;

export const objectStoreFault = errorMaker(OBJECT_STORE_FAULTS);
