/** Reads lists of flags and cohorts from the exporting server. */
import type { ApiClient } from './api-client.ts';
import { parseItem, type ExportedItem } from './exported.ts';
import { cohortIdsUsed, type Export } from './import.ts';
import { MAX_ITEMS, listBudget } from './limits.ts';
import type { Kind } from './outcome.ts';

/** Reads cohorts only if a flag names one, because the key may be for flags alone. @throws CommandFailed */
export async function readServer(source: ApiClient): Promise<Export> {
  const flags = await readAll(source, 'feature_flags/', 'flag');
  const needsCohorts = cohortIdsUsed({ flags, cohorts: [] }).size > 0;
  return { flags, cohorts: needsCohorts ? await readAll(source, 'cohorts/', 'cohort') : [] };
}

async function readAll(source: ApiClient, path: string, kind: Kind): Promise<ExportedItem[]> {
  const items: ExportedItem[] = [];
  for await (const item of source.list(path, { items: MAX_ITEMS, budget: listBudget() })) {
    items.push(parseItem(item, kind, `${source.url}: ${path}[${items.length}]`));
  }
  return items;
}
