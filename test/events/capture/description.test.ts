import assert from 'node:assert/strict';
import { captureRoutes } from '../../../src/events/capture/description.ts';
import { CAPTURE_PATHS, capturePathOf, CSP_PATH, REPLAY_PATH, V1_PATH } from '../../../src/events/capture/paths.ts';
import { openApiDocument } from '../../../src/platform/http/openapi/document.ts';
import { compile, Type } from '../../../src/platform/schema.ts';

const event = { event: 'e', distinct_id: 'd' };

describe('the description of capture', () => {
  it('names every path that it has', () => {
    const { paths } = openApiDocument(captureRoutes, 'https://sluice.example') as { paths: Record<string, object> };
    const expected = [...CAPTURE_PATHS, V1_PATH, CSP_PATH, REPLAY_PATH].map((path) => `${path}/`);
    assert.deepEqual(Object.keys(paths).sort(), expected.sort());
    for (const [path, methods] of Object.entries(paths)) {
      assert.ok(capturePathOf(path) && capturePathOf(path.slice(0, -1)), path);
      const isV0 = CAPTURE_PATHS.some((one) => `${one}/` === path);
      assert.deepEqual(Object.keys(methods).sort(), isV0 ? ['get', 'post'] : ['post']);
    }
  });

  it('fits what it takes', () => {
    const isBody = compile(captureRoutes[0]?.body ?? Type.Never());
    const bodies = [
      { ...event, api_key: 'phc_x', properties: { a: 1 }, timestamp: '2024-05-17T10:05:03Z', $set: { b: null } },
      [{ ...event, uuid: '01a1fb4f-740a-709c-bc99-d4a204c30c55' }],
      { api_key: 'phc_x', batch: [event], sent_at: '2024-05-17T10:05:03Z', historical_migration: true },
    ];
    for (const body of bodies) assert.ok(isBody(body), JSON.stringify(isBody.errors));
    for (const body of [{ event: 'e' }, [{ ...event, uuid: 'x' }], { batch: [] }, 'e']) assert.ok(!isBody(body));
  });

  it('needs no name of an event that is sent to /engage/', () => {
    const isBody = compile(captureRoutes.find(({ path }) => path === '/engage/')?.body ?? Type.Never());
    const unnamed = { distinct_id: 'd', $set: { a: 1 } };
    for (const body of [unnamed, [unnamed], { api_key: 'phc_x', batch: [unnamed] }]) assert.ok(isBody(body));
  });

  it('names every content encoding that a body may have', () => {
    const descriptions = captureRoutes.filter(({ method, path }) => method === 'post' && /batch|v1/.test(path));
    for (const { description = '' } of descriptions) {
      for (const name of ['gzip', 'deflate', 'br', 'zstd']) assert.match(description, new RegExp(`\\b${name}\\b`));
    }
  });

  it('does not fit an empty batch of newer SDKs, which is refused', () => {
    const isBody = compile(captureRoutes.find(({ path }) => path === `${V1_PATH}/`)?.body ?? Type.Never());
    assert.ok(isBody({ batch: [{ ...event, uuid: '01a1fb4f-740a-709c-bc99-d4a204c30c55' }] }));
    assert.ok(!isBody({ batch: [] }));
  });
});
