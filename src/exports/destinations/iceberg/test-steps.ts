/** Test steps of tables. */
import { randomUUID } from 'node:crypto';
import type { Skipped, TestContext, TestStep } from '../test-steps.ts';
import { testUpload } from '../object-store/try-upload.ts';
import type { Catalog } from './catalog.ts';
import { faultCodeOf, icebergFault, throwAsOwn } from './faults.ts';
import type { Lake } from './lake.ts';
import { parseLocation } from './storage/location.ts';
import { checkTable } from './table.ts';

type Table = { catalog: Catalog; addColumns: boolean | null; openLake(location: string): Promise<Lake> };

/** Only the catalog knows where the files of a table that does not exist will be. */
const NO_TABLE: Skipped = { skipped: 'There is no table yet: the first run will create it.' };

/** The API reads less of it than a run does, because it serves others meanwhile. */
const LONG_HISTORY: Skipped = {
  skipped: 'The table has too many snapshots for a test. Expire old ones before a run cannot read it either.',
};

/** @param open names the configured table, and contacts nothing */
export function catalogSteps<Config>(open: (config: Config, context: TestContext) => Table): TestStep<Config>[] {
  const withTable = (work: (table: Table, context: TestContext) => Promise<Skipped | void>) => {
    return async (config: Config, context: TestContext): Promise<Skipped | void> => {
      const table = open(config, context);
      try {
        return await work(table, context);
      } catch (error) {
        return faultCodeOf(error) === 'metadata_too_large' ? LONG_HISTORY : throwAsOwn(error);
      } finally {
        table.catalog.close();
      }
    };
  };
  return [
    {
      name: 'Connect to the catalog',
      description: 'Ensure that the catalog can be reached, and accepts the token.',
      run: withTable(({ catalog }) => catalog.connect()),
    },
    {
      name: 'Check the namespace',
      description: 'Ensure that the namespace exists.',
      run: withTable(async ({ catalog }) => {
        if (!(await catalog.namespaceExists())) throw icebergFault('namespace_not_found');
      }),
    },
    {
      name: 'Check the table',
      description: 'Ensure that the table, if there is one, has the columns and partitions of the export.',
      run: withTable(async ({ catalog, addColumns }, { columns, merge }) => {
        if (merge) throw icebergFault('versions_unsupported');
        const metadata = await catalog.load();
        if (!metadata) return NO_TABLE;
        checkTable(metadata, { columns, addColumns });
        return undefined;
      }),
    },
    {
      name: 'Check files can be written',
      description:
        'Ensure that an upload to the table’s folder can be started, written and aborted. Nothing becomes visible.',
      run: withTable(async ({ catalog, openLake }, { model }) => {
        const metadata = await catalog.load();
        if (!metadata) return NO_TABLE;
        const { store } = await openLake(metadata.location);
        try {
          await testUpload(store, `${parseLocation(metadata.location).key}/data/_sluice-test-${randomUUID()}`, model);
        } finally {
          store.close();
        }
        return undefined;
      }),
    },
  ];
}
