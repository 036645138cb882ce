/** `npm run frozen-names`: appends the names that are new to their lists. It never removes one: that is a person's decision. */
import { stopTestDatabases } from '../support/database/database.ts';
import { compare, complaints, readList, writeList } from './kind.ts';
import { KINDS } from './kinds.ts';
import { openSources } from './sources.ts';

const sources = openSources();
try {
  for (const kind of KINDS) {
    const listed = readList(kind.name);
    const comparison = compare(listed, await kind.present(sources));
    if (comparison.added.length > 0) writeList(kind.name, [...listed, ...comparison.added]);
    console.log(`${kind.name}: ${listed.length} listed, ${comparison.added.length} added`);
    for (const name of comparison.added) console.log(`  + ${name}`);
    for (const complaint of complaints(kind, { ...comparison, added: [] })) console.error(`  ! ${complaint}`);
    if (comparison.gone.length > 0) process.exitCode = 1;
  }
} finally {
  await sources.close();
  await stopTestDatabases();
}
