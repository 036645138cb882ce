/** Every path of the API says which methods it has, also those that look like the id of something. */
import assert from 'node:assert/strict';
import { apiRoutes, rawRoutes } from '../../../src/app/api.ts';
import { pathsOf } from '../../../src/platform/http/paths.ts';
import { startSluice, type Sluice } from '../../support/servers/sluice.ts';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const shapeOf = (path: string) => path.replace(/:\w+/g, ':');

/** By path, whatever its parameters are called. */
const offered = new Map<string, Set<string>>();
for (const route of apiRoutes) {
  for (const path of pathsOf(route)) {
    const methods = offered.get(shapeOf(path)) ?? new Set();
    offered.set(shapeOf(path), methods.add(route.method.toUpperCase()));
  }
}

describe('methods', () => {
  let sluice: Sluice;

  before(async () => {
    sluice = await startSluice();
  });
  after(() => sluice.stop());

  for (const [shape, methods] of offered) {
    it(`are those of ${shape}`, async () => {
      const path = shape.replaceAll(':', '1');
      const allowed = [...methods, ...(methods.has('GET') ? ['HEAD'] : [])].sort();
      for (const method of METHODS.filter((one) => !methods.has(one))) {
        const { status, headers } = await fetch(sluice.url + path, { method });
        assert.deepEqual([status, headers.get('allow')], [405, allowed.join(', ')], method);
      }
      const options = await fetch(sluice.url + path, { method: 'OPTIONS' });
      assert.deepEqual([options.status, options.headers.get('allow')], [204, [...allowed, 'OPTIONS'].join(', ')]);
    });
  }

  for (const [path, described] of Map.groupBy(rawRoutes, (route) => pathsOf(route)[0])) {
    it(`are those of ${path}`, async () => {
      const { headers } = await fetch(sluice.url + path.replace(':script', 'array.js').replace(/:\w+/, 'x'), {
        method: 'DELETE',
      });
      const offered = (headers.get('allow') ?? '').split(', ').filter((one) => !['HEAD', 'OPTIONS'].includes(one));
      assert.deepEqual(offered.sort(), described.map(({ method }) => method.toUpperCase()).sort());
    });
  }
});
