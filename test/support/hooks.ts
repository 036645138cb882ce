/** Run once around the whole suite (mocha `--require`): servers start when the first test asks for one and stop here. */
import { stopTestDatabases } from './database.ts';

export const mochaHooks = {
  async afterAll() {
    await stopTestDatabases();
  },
};
