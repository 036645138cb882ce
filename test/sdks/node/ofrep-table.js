/**
 * Asks a server for the flags of table.json with OpenFeature's provider for OFREP.
 *
 *     ofrep-table.js HOST KEY TABLE
 *
 * Prints what it was told, as lines of JSON.
 */
import { OFREPProvider } from '@openfeature/ofrep-provider';
import { OpenFeature } from '@openfeature/server-sdk';
import { readFileSync } from 'node:fs';

const [host, key, file] = process.argv.slice(2);
const { persons, flags } = JSON.parse(readFileSync(file, 'utf8'));
await OpenFeature.setProviderAndWait(
  new OFREPProvider({ baseUrl: host, headers: [['Authorization', `Bearer ${key}`]] }),
);
const client = OpenFeature.getClient();
for (const person of persons) {
  const context = { targetingKey: person.id, groups: person.groups };
  for (const flag of flags) {
    const { value, variant, reason, errorCode } = flag.filters.multivariate
      ? await client.getStringDetails(flag.key, 'default', context)
      : await client.getBooleanDetails(flag.key, true, context);
    console.log(
      JSON.stringify({ from: 'ofrep', person: person.id, flag: flag.key, value, variant, reason, error: errorCode }),
    );
  }
}
await OpenFeature.close();
