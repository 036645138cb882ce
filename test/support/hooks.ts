/** Run once around the whole suite (mocha `--require`): servers start when the first test asks for one and stop here. */
import { stopTestDatabases } from './database.ts';
import { stopTestObjectStore } from './object-store.ts';
import { stopTestTemporal } from './temporal.ts';

export const mochaHooks = {
  async afterAll() {
    await Promise.all([stopTestDatabases(), stopTestTemporal(), stopTestObjectStore()]);
  },
};
