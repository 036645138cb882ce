/**
 * Names that are written outside of the process stay as they are: each kind has a list in `frozen-names/`, which is compared with what
 * the running parts say, and with the sources where no running part knows.
 */
import assert from 'node:assert/strict';
import { apiRoutes } from '../src/app/api.ts';
import { Type } from '../src/platform/schema.ts';
import { compare, complaints, readList, sorted } from './frozen-names/kind.ts';
import { KINDS } from './frozen-names/kinds.ts';
import { namesInDocument } from './frozen-names/openapi-names.ts';
import { openSources } from './frozen-names/sources.ts';

const kindOf = (name: string) => KINDS.find((kind) => kind.name === name)!;

describe('frozen names', () => {
  const sources = openSources();
  after(() => sources.close());

  for (const kind of KINDS) {
    it(`of the kind ${kind.name} are all there, and all listed`, async () => {
      const [listed, present] = [readList(kind.name), sorted(await kind.present(sources))];
      const found = complaints(kind, compare(listed, present));
      assert.equal(found.length, 0, `\n${found.join('\n')}`);
      assert.deepEqual(listed, present, 'the list is sorted and names everything once');
      assert.ok(
        present.length >= kind.least,
        `only ${present.length} names were found: the reader has lost its source`,
      );
    });
  }

  it('that were renamed are named, with the reason and the way out', () => {
    const found = complaints(
      kindOf('temporal/activities'),
      compare(['exportPart', 'finishRun'], ['finishRun', 'stagePart']),
    );
    assert.equal(found.length, 2);
    assert.match(found[0]!, /^temporal\/activities: "exportPart" is gone\. .* in the histories of workflows/);
    assert.match(found[0]!, /Keep the old name\. .* delete its line in test\/frozen-names\/temporal\/activities\.txt/);
    assert.equal(found[1], 'temporal/activities: "stagePart" is new. Add it to the list with: npm run frozen-names');
  });

  it('are missed when a column is renamed', async () => {
    const { own } = await sources.installation();
    const columns = kindOf('database/columns');
    await own.query('begin; alter table batch_exports rename column paused to is_paused');
    try {
      const { gone, added } = compare(readList(columns.name), await columns.present(sources));
      assert.deepEqual([gone, added], [['batch_exports.paused'], ['batch_exports.is_paused']]);
    } finally {
      await own.query('rollback');
    }
  });

  it('are missed when a field of an operation is renamed', () => {
    const routes = apiRoutes.map((route) =>
      route.path === '/batch_exports/:id/pause/' ? { ...route, body: Type.Object({ reason: Type.String() }) } : route,
    );
    const changed = routes.map((route) =>
      route.path === '/batch_exports/:id/pause/' ? { ...route, body: Type.Object({ why: Type.String() }) } : route,
    );
    const { gone, added } = compare(namesInDocument(routes).fields, namesInDocument(changed).fields);
    assert.deepEqual(
      [gone, added],
      [['batch_exports_pause_create takes reason'], ['batch_exports_pause_create takes why']],
    );
  });
});
