/** Misspelt fields of bodies, of all routes that there are: to drop one quietly may export everything, or switch a flag on for all. */
import assert from 'node:assert/strict';
import { apiRoutes } from '../../../src/app/api.ts';
import { InvalidInput } from '../../../src/platform/errors.ts';
import { pathsOf } from '../../../src/platform/http/paths.ts';
import { createFieldFilter } from '../../../src/platform/http/unknown-fields.ts';
import type { TSchema } from '../../../src/platform/schema.ts';

type Shape = { properties?: Record<string, TSchema>; items?: TSchema; anyOf?: TSchema[] };

const routes = apiRoutes.filter(({ body }) => body !== undefined);

function read(method: string, path: string): (body: unknown) => unknown {
  const found = routes.find((route) => route.method === method && pathsOf(route).some((one) => one.endsWith(path)));
  assert.ok(found, `no route ${method} ${path}`);
  return createFieldFilter(found);
}

/** Of an object, of the objects of a list, or of a page of them. */
function fieldNames(schema: TSchema | null | undefined): string[] {
  const { properties = {}, items, anyOf = [] } = (schema ?? {}) as Shape;
  const inside = [items, properties['results'], ...anyOf];
  return [...Object.keys(properties), ...inside.flatMap((one) => (one ? fieldNames(one) : []))];
}

const MISSPELT: [string, string, string, string][] = [
  ['post', '/batch_exports/', 'filter', 'filters'],
  ['post', '/batch_exports/', 'transformation', 'transformations'],
  ['post', '/batch_exports/', 'hashKey', 'hash_key'],
  ['put', '/batch_exports/:id/', 'exclude_column', 'exclude_columns'],
  ['patch', '/batch_exports/:id/', 'pasued', 'paused'],
  ['post', '/batch_exports/preview/', 'excludeColumns', 'exclude_columns'],
  ['post', '/batch_exports/:id/run_test_step/', 'filter', 'filters'],
  ['post', '/batch_exports/:batch_export_id/backfills/', 'startAt', 'start_at'],
  ['post', '/batch_exports/:id/backfill/', 'dryrun', 'dry_run'],
  ['post', '/batch_exports/:id/unpause/', 'backfil', 'backfill'],
  ['patch', '/integrations/:id/', 'configs', 'config'],
  ['patch', '/api/projects/:project_id/', 'anonymise_ips', 'anonymize_ips'],
  ['post', '/feature_flags/', 'filter', 'filters'],
  ['patch', '/feature_flags/:id/', 'Active', 'active'],
  ['post', '/cohorts/', 'isStatic', 'is_static'],
  ['patch', '/surveys/:id/', 'question', 'questions'],
  ['post', '/experiments/', 'metric', 'metrics'],
  ['patch', '/early_access_feature/:id/', 'stages', 'stage'],
  ['post', '/dashboards/', 'nam', 'name'],
  ['patch', '/dashboards/:id/', 'tile', 'tiles'],
  ['post', '/insights/', 'qury', 'query'],
  ['patch', '/insights/:id/', 'dashboard', 'dashboards'],
  ['post', '/query/', 'filter_override', 'filters_override'],
  ['post', '/persons/bulk_delete/', 'distinct_id', 'distinct_ids'],
  ['patch', '/api/organizations/:organization_id/', 'members_can_invites', 'members_can_invite'],
];

/** Fields that upstream's own clients send, and that are not taken here. */
const IGNORED: [string, string, object][] = [
  ['post', '/batch_exports/', { interval_offset: 0, batch_export_id: 'x' }],
  ['patch', '/api/projects/:project_id/', { session_recording_opt_in: true, autocapture_opt_out: false }],
  ['post', '/feature_flags/', { _create_in_folder: 'x', creation_context: 'feature_flags', creationContext: 'x' }],
  ['post', '/feature_flags/', { _should_create_usage_dashboard: true, is_used_in_replay_settings: false, keys: 1 }],
  ['post', '/surveys/', { _create_in_folder: 'x', enable_iframe_embedding: false, translations: {} }],
  ['post', '/experiments/', { stats_config: {}, scheduling_config: {}, conclusion: null, _create_in_folder: 'x' }],
  ['post', '/cohorts/', { _create_in_folder: 'x', cohort_type: 'static', experiment_set: [] }],
  ['post', '/dashboards/', { _create_in_folder: 'x', items: [], share_token: 'x', layouts: {}, widgets: [] }],
  ['post', '/insights/', { _create_in_folder: 'x', refresh: true, layouts: {}, color: null, disable_baseline: false }],
  ['post', '/query/', { client_query_id: 'x', refresh: 'blocking', async: false, variables_override: {}, name: 'x' }],
  ['post', '/api/login/', { next: '/' }],
];

describe('a field of a body', () => {
  for (const [method, path, field, meant] of MISSPELT) {
    it(`is refused where it is misspelt: ${field} of ${method} ${path}`, () => {
      const detail = `There is no such field. The nearest is \`${meant}\`.`;
      assert.throws(() => read(method, path)({ [field]: 1 }), new InvalidInput(detail, field));
    });
  }

  it('is refused in each object of a list', () => {
    const given = [
      { group_type_index: 0, group_type: 'company' },
      { group_type_index: 1, nameSingular: 'x' },
    ];
    const detail = 'There is no such field. The nearest is `name_singular`.';
    assert.throws(
      () => read('patch', '/groups_types/update_metadata/')(given),
      new InvalidInput(detail, 'nameSingular'),
    );
  });

  it('is ignored beside the one that it is like', () => {
    const body = read('patch', '/insights/:id/')({ dashboard: 1, dashboards: [1], created_by: null });
    assert.deepEqual(body, { dashboards: [1] });
  });

  for (const [method, path, given] of IGNORED) {
    it(`is ignored where it is like none: ${Object.keys(given).join(', ')} of ${method} ${path}`, () => {
      assert.deepEqual(read(method, path)(given), {});
    });
  }

  it('may be any that is read at the same address', () => {
    for (const route of routes.filter(({ strict }) => !strict)) {
      const dropUnknown = createFieldFilter(route);
      const [path] = pathsOf(route);
      const answers = apiRoutes
        .filter((other) => pathsOf(other)[0] === path)
        .flatMap((one) => Object.values(one.answers));
      for (const field of answers.flatMap(fieldNames)) {
        assert.doesNotThrow(() => dropUnknown({ [field]: 1 }), `${route.method} ${path} ${field}`);
      }
    }
  });
});
