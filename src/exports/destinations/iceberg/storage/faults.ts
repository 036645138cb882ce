/**
 * Faults of Google's and Azure's storages, as faults of this destination: with the name of the storage before the code, because the same
 * codes of S3 name other fields, and with the fields that a table has.
 */
import { AZURE_FAULTS } from '../../azure-blob/faults.ts';
import type { KnownFault } from '../../faults.ts';
import { GCS_FAULTS } from '../../gcs/faults.ts';
import { OBJECT_STORE_FAULTS } from '../../object-store/faults.ts';

type Prefixed<Name extends string, Codes extends string> = Record<`${Name}_${Exclude<Codes, Shared>}`, KnownFault>;
/** Faults that no store throws itself. */
type Shared = keyof typeof OBJECT_STORE_FAULTS;

/** The catalog names the bucket or the container, and the folder in it. */
const CHOSEN_BY_CATALOG = new Set(['bucket_name', 'container_name', 'prefix', 'max_file_size_mb']);
const TABLE_SENTENCES: Readonly<Record<string, string>> = {
  name_not_taken: 'The storage does not accept the names of the files. The table needs another location.',
  blob_of_other_type: 'An append blob or a page blob already has the name of a file of the table.',
};

function ownFaults<Name extends string, Codes extends string>(
  name: Name,
  faults: Readonly<Record<Codes, KnownFault>>,
): Prefixed<Name, Codes> {
  const entries = Object.entries<KnownFault>(faults).flatMap(([code, fault]) => {
    if (Object.hasOwn(OBJECT_STORE_FAULTS, code)) return [];
    const { rawCodes: _, ...known } = fault;
    const isChosen = known.field !== undefined && CHOSEN_BY_CATALOG.has(known.field);
    const sentence = TABLE_SENTENCES[code] ?? known.sentence;
    return [[`${name}_${code}`, { ...known, sentence, ...(isChosen && { field: 'table_name' }) }]];
  });
  return Object.fromEntries(entries) as Prefixed<Name, Codes>;
}

export const hasTableSentence = (code: string): boolean => Object.hasOwn(TABLE_SENTENCES, code);

export const OTHER_STORAGE_FAULTS = { ...ownFaults('gcs', GCS_FAULTS), ...ownFaults('azure', AZURE_FAULTS) };

export type OtherStorageFault = keyof typeof OTHER_STORAGE_FAULTS;
