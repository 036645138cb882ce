/** Operations on feature flags and what is built on them, and on persons and groups. */
import { randomUUID } from 'node:crypto';
import { anExport } from './exports.ts';
import { CANARY, type Operation, type Workplace } from './workplace.ts';

const QUESTIONS = [{ type: 'open', question: 'Why?' }];
const HELD = [{ properties: [], rollout_percentage: 10 }];
const SECRET_PAYLOAD = { groups: [{}], payloads: { true: `"${CANARY}"` } };

/** Makes one by the API. @returns the parameter that names it */
const made = async ({ send }: Workplace, path: string, body: object) => ({ id: String((await send('POST', path, body))['id']) }); // prettier-ignore

const changedFlag: Operation = async (at) => {
  const config = { is_remote_configuration: true, has_encrypted_payloads: true };
  const key = `flag-${Math.random().toString(36).slice(2)}`;
  const params = await made(at, '/feature_flags/', { key, name: 'a', filters: SECRET_PAYLOAD, ...config });
  return {
    params,
    body: { key, name: 'b', filters: { groups: [{}], payloads: { true: `"${CANARY}-too"` } } },
    refused: { key: 'not a key' },
    tells: ['FeatureFlag updated'],
  };
};

async function staticCohort(at: Workplace, ...members: string[]) {
  return made(at, '/cohorts/', { name: 'Listed', is_static: true, _create_static_person_ids: members });
}

/** An erasure that an export keeps rows of. */
async function remainder(at: Workplace) {
  const { db, ours } = at;
  const [id, exportId] = [randomUUID(), await anExport(at)];
  await db.raw(
    `insert into erasures (id, project_id, stored_before, persons, person_ids, distinct_ids) values (?, ?, now(), 1, '{}', '{}')`,
    [id, ours.projectId],
  );
  await db.raw(
    `insert into erased_deliveries (erasure_id, batch_export_id, data_interval_start, data_interval_end, rows, state, reason)
     values (?, ?, '2026-01-01', '2026-01-02', 1, 'remainder', 'append_destination')`,
    [id, exportId],
  );
  return { params: { id }, body: { batch_export_id: exportId } };
}

const group = async ({ send }: Workplace, key: string) => {
  await send('POST', '/groups/', { group_type_index: 0, group_key: key, group_properties: { size: 1 } });
  return `?group_type_index=0&group_key=${key}`;
};

export const flagOperations: Readonly<Record<string, Operation>> = {
  'POST /feature_flags/': () => ({
    body: {
      key: 'new',
      name: '',
      filters: SECRET_PAYLOAD,
      is_remote_configuration: true,
      has_encrypted_payloads: true,
    },
    refused: { key: 'not a key', filters: { groups: [{}] } },
    tells: ['FeatureFlag created'],
  }),
  'PUT /feature_flags/:id/': changedFlag,
  'PATCH /feature_flags/:id/': changedFlag,
  'PUT /feature_flags/:id/access_controls/': async ({ put, colleague }) => ({
    params: { id: await put('feature_flag') },
    body: { access_level: 'viewer', organization_member: colleague.membershipId },
    refused: { access_level: 'king' },
    tells: ['FeatureFlag updated'],
  }),
  'POST /cohorts/': () => ({
    body: { name: 'New', is_static: true },
    refused: { name: 'New', filters: { properties: 5 } },
    tells: ['Cohort created'],
  }),
  'PATCH /cohorts/:id/': async (at) => ({
    params: await staticCohort(at),
    body: { name: 'Renamed' },
    refused: { is_static: false },
    tells: ['Cohort updated'],
  }),
  'PATCH /cohorts/:id/add_persons_to_static_cohort/': async (at) => ({
    params: await staticCohort(at),
    body: { person_ids: [await at.person()] },
    refused: { person_ids: ['0198f3a0-0000-7000-8000-00000000dead'] },
    tells: ['Cohort updated'],
  }),
  'PATCH /cohorts/:id/remove_person_from_static_cohort/': async (at) => {
    const person = await at.person();
    return { params: await staticCohort(at, person), body: { person_id: person }, tells: ['Cohort updated'] };
  },
  'POST /early_access_feature/': () => ({
    body: { name: 'New feature', stage: 'beta' },
    refused: { name: 'New feature', stage: 'beta', feature_flag_id: 999_999_999 },
    // The flag that is made for it is an object of its own.
    tells: ['FeatureFlag created', 'EarlyAccessFeature created'],
  }),
  'PATCH /early_access_feature/:id/': async (at) => ({
    params: await made(at, '/early_access_feature/', { name: 'Changing', stage: 'beta' }),
    body: { name: 'Renamed' },
    refused: { name: 'Lost', documentation_url: 'nowhere' },
    tells: ['EarlyAccessFeature updated'],
  }),
  'DELETE /early_access_feature/:id/': async (at) => ({
    params: await made(at, '/early_access_feature/', { name: 'Deleted', stage: 'beta' }),
    tells: ['FeatureFlag updated', 'EarlyAccessFeature deleted'],
  }),
  'POST /surveys/': () => ({
    body: { name: 'New', type: 'popover', questions: QUESTIONS },
    refused: { name: 'New', type: 'popover', questions: [{ type: 'riddle' }] },
    // The flag for whom it is shown to is an object of its own.
    tells: ['FeatureFlag created', 'Survey created'],
  }),
  'PATCH /surveys/:id/': async (at) => ({
    params: await made(at, '/surveys/', { name: 'Changing', type: 'popover', questions: QUESTIONS }),
    body: { name: 'Renamed' },
    refused: { linked_flag_id: 999_999_999 },
    tells: ['Survey updated'],
  }),
  'PUT /surveys/:id/': async (at) => ({
    params: await made(at, '/surveys/', { name: 'Put', type: 'popover', questions: QUESTIONS }),
    body: { name: 'Put', type: 'popover', description: 'new' },
    refused: { name: 'Put', type: 'none' },
    tells: ['Survey updated'],
  }),
  'DELETE /surveys/:id/': async (at) => ({
    params: await made(at, '/surveys/', { name: 'Deleted', type: 'popover', questions: QUESTIONS }),
    tells: ['FeatureFlag deleted', 'Survey deleted'],
  }),
  'POST /experiments/': () => ({
    body: { name: 'New', feature_flag_key: 'new-experiment' },
    refused: { name: 'New', feature_flag_key: 'held', holdout_id: 999_999_999 },
    tells: ['FeatureFlag created', 'Experiment created'],
  }),
  'PATCH /experiments/:id/': async (at) => ({
    params: await made(at, '/experiments/', { name: 'Changing', feature_flag_key: 'changing-experiment' }),
    body: { name: 'Renamed' },
    refused: { holdout_id: 999_999_999 },
    tells: ['Experiment updated'],
  }),
  'POST /experiment_holdouts/': () => ({
    body: { name: 'New', filters: HELD },
    refused: { name: 'New', filters: [] },
    tells: ['ExperimentHoldout created'],
  }),
  'PATCH /experiment_holdouts/:id/': async (at) => ({
    params: await made(at, '/experiment_holdouts/', { name: 'Changing', filters: HELD }),
    body: { name: 'Renamed' },
    refused: { filters: [] },
    tells: ['ExperimentHoldout updated'],
  }),
  'DELETE /experiment_holdouts/:id/': async (at) => ({
    params: await made(at, '/experiment_holdouts/', { name: 'Deleted', filters: HELD }),
    tells: ['ExperimentHoldout deleted'],
  }),
  'DELETE /persons/:id/': async ({ person }) => ({ params: { id: await person() }, tells: ['Person deleted'] }),
  'POST /persons/bulk_delete/': async ({ person }) => ({
    body: { ids: [await person()] },
    refused: { ids: [await person()], distinct_ids: ['a'] },
    tells: ['Person deleted'],
  }),
  'POST /erasures/:id/mark_handled/': async (at) => ({
    ...(await remainder(at)),
    refused: { batch_export_id: '0198f3a0-0000-7000-8000-00000000dead' },
    tells: ['Person updated'],
  }),
  'PATCH /groups_types/update_metadata/': () => ({
    body: [{ group_type_index: 0, name_plural: 'firms' }],
    tells: ['GroupType updated'],
  }),
  'POST /groups/': () => ({
    body: { group_type_index: 0, group_key: 'new', group_properties: { access_token: CANARY } },
    refused: { group_type_index: 4, group_key: 'new' },
    tells: ['Group created'],
  }),
  'POST /groups/update_property/': async (at) => ({
    query: await group(at, 'grown'),
    body: { key: 'access_token', value: CANARY },
    tells: ['Group updated'],
  }),
  'POST /groups/delete_property/': async (at) => ({
    query: await group(at, 'shrunk'),
    body: { $unset: 'size' },
    tells: ['Group updated'],
  }),
};
