/**
 * Asks a server for the flags of table.json, with whichever version of posthog-node it is told to take.
 *
 *     posthog-table.js MODULE HOST TOKEN SECRET_KEY FEED_HOST TABLE
 *
 * Prints what it was told, as lines of JSON.
 */
import { readFileSync } from 'node:fs';

const [module, host, token, secretKey, feedHost, file] = process.argv.slice(2);
const { PostHog } = await import(module);
const { persons } = JSON.parse(readFileSync(file, 'utf8'));

async function tell(from, client, optionsOf) {
  for (const person of persons) {
    const { featureFlags, featureFlagPayloads } = await client.getAllFlagsAndPayloads(person.id, optionsOf(person));
    for (const [flag, value] of Object.entries(featureFlags)) {
      console.log(
        JSON.stringify({ from, person: person.id, flag, value, payload: featureFlagPayloads?.[flag] ?? null }),
      );
    }
  }
  await client.shutdown();
}

// The SDK warns of what it cannot decide itself, and of its own age.
console.warn = () => {};
await tell('remote', new PostHog(token, { host }), ({ groups }) => ({ groups }));
// The older one calls the secret key a personal one.
const local = new PostHog(token, { host: feedHost, secretKey, personalApiKey: secretKey });
await local.reloadFeatureFlags();
await tell('local', local, ({ groups, person_properties: personProperties, group_properties: groupProperties }) => ({
  groups,
  personProperties,
  groupProperties,
  onlyEvaluateLocally: true,
}));
