/** Faults of the export folder, by the operating system's error codes. */
import { errorMaker, type KnownFault } from '../faults.ts';
import { OBJECT_STORE_FAULTS } from '../object-store/faults.ts';

/**
 * Final faults would recur in each attempt, until the configuration is changed or files are deleted. All others may be temporary: a full
 * disk, a volume that is being remounted or restored, or a network file server.
 */
export const LOCAL_FILE_FAULTS = {
  directory_unusable: {
    owner: 'you',
    field: 'directory',
    final: true,
    sentence: 'The directory or prefix cannot be used. Choose another one.',
    rawCodes: ['EISDIR', 'ENOTDIR', 'ELOOP'],
  },
  directory_not_a_folder: {
    owner: 'you',
    field: 'directory',
    final: true,
    sentence: 'A part of the directory or prefix is a file or a link. Choose another directory.',
  },
  directory_outside: {
    owner: 'you',
    field: 'directory',
    final: true,
    sentence: 'The directory or prefix leads out of the export folder.',
  },
  name_too_long: {
    owner: 'you',
    field: 'directory',
    final: true,
    sentence: 'The directory or prefix is too long. Choose a shorter one.',
    rawCodes: ['ENAMETOOLONG'],
  },
  project_quota_exceeded: {
    owner: 'you',
    final: true,
    sentence:
      'The project’s files would take more than it has in the export folder. Take some away, or ask the operator for more.',
  },
  local_files_off: {
    owner: 'sluice',
    final: true,
    sentence: 'This installation has no folder for local exports (EXPORT_LOCAL_ROOT).',
  },
  root_not_a_folder: {
    owner: 'sluice',
    sentence: 'The export folder (EXPORT_LOCAL_ROOT) is not a folder.',
    rawCodes: ['EEXIST'],
  },
  folder_access_denied: {
    owner: 'sluice',
    sentence: 'The worker may not write to the export folder.',
    rawCodes: ['EACCES', 'EPERM'],
  },
  folder_read_only: { owner: 'sluice', sentence: 'The export folder is read-only.', rawCodes: ['EROFS'] },
  disk_full: { owner: 'sluice', sentence: 'There is no space left in the export folder.', rawCodes: ['ENOSPC'] },
  disk_quota_exceeded: {
    owner: 'sluice',
    sentence: 'There is no space left in the export folder: the quota of its volume is used up.',
    rawCodes: ['EDQUOT'],
  },
  disk_failing: {
    owner: 'sluice',
    sentence: 'The disk of the export folder cannot be read or written.',
    rawCodes: ['EIO'],
  },
  too_many_open_files: {
    owner: 'sluice',
    sentence: 'The worker, or its machine, has too many files open.',
    rawCodes: ['EMFILE', 'ENFILE'],
  },
  folder_busy: { owner: 'sluice', sentence: 'The export folder is in use by something else.', rawCodes: ['EBUSY'] },
  folder_gone: {
    owner: 'sluice',
    sentence: 'The export folder is gone: its volume may not be mounted.',
    rawCodes: ['ENOENT', 'ENODEV', 'ENXIO'],
  },
  network_files_away: {
    owner: 'sluice',
    sentence: 'The server of the export folder’s network files does not answer.',
    rawCodes: ['ENOTCONN', 'ESTALE', 'ETIMEDOUT'],
  },
  ...OBJECT_STORE_FAULTS,
} as const satisfies Record<string, KnownFault>;

export const localFileFault = errorMaker(LOCAL_FILE_FAULTS);
