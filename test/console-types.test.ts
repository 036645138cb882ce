import assert from 'node:assert/strict';
import { apiTypes, writtenTypes } from '../console/types.ts';

describe('types of the API in the console', () => {
  it('are those of the present API: npm run console:types writes them', async () => {
    assert.ok((await apiTypes()) === (await writtenTypes()), 'Run `npm run console:types` and commit the result.');
  });
});
