/** Source against destination, row by row. */
import type { ExportWorld } from '../support/exports/export-world.ts';
import type { Place } from './places.ts';

export async function checkRows(
  { engine }: ExportWorld,
  place: Place,
  label: string,
  source: readonly { uuid: string }[],
): Promise<string[]> {
  const { rows: superseded } = await engine.pool.query<{ key: string }>('select key from superseded_files');
  const delivered = await place
    .rows(label, new Set(superseded.map(({ key }) => key)))
    .catch((error: Error) => error.message);
  if (typeof delivered === 'string') return [`${place.type}: ${delivered}`];
  const wanted = new Set(source.map(({ uuid }) => uuid));
  const distinct = new Set(delivered);
  const counts = {
    lost: wanted.difference(distinct).size,
    duplicated: delivered.length - distinct.size,
    foreign: distinct.difference(wanted).size,
  };
  console.log(
    `${place.type}: ${delivered.length} rows of ${wanted.size}, ${Object.entries(counts)
      .map(([what, count]) => `${count} ${what}`)
      .join(', ')}, 0 torn`,
  );
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => `${place.type}: ${count} rows ${what}`);
}
