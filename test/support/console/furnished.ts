/** A project with one of everything that pages show, in various states: delivered, refused, paused, shared, invited. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { keyStore } from '../../../src/people/keys/keys.store.ts';
import { promote } from '../api/identity.ts';
import { buildMember } from '../api/members.ts';
import { eventually, runsAfterBackfill } from '../exports/export-world.ts';
import type { ConsoleInstallation } from './installation.ts';
import { bucketPlace, schemaPlace, type Place } from './places.ts';

const EXAMPLE = new URL('../../../examples/events.ndjson', import.meta.url);
const MORNING = { startAt: '2025-06-02T09:00:00Z', endAt: '2025-06-02T12:00:00Z' };
const LONG = 'Everything that customers of the harbour shop did since it opened, for the warehouse of the group';
const GOOGLE = { type: 'person', key: '$initial_referrer', operator: 'icontains', value: 'google' };

/** Ids for addresses. */
export type FurnishedIds = Record<
  | 'delivered'
  | 'deliveredRun'
  | 'refused'
  | 'refusedRun'
  | 'retried'
  | 'retriedRun'
  | 'paused'
  | 'flag'
  | 'dashboard'
  | 'longDashboard',
  string
>;

export async function buildFurnishedInstallation(at: ConsoleInstallation): Promise<FurnishedIds> {
  const { db } = at.sluice;
  await promote(db, at.tenant, 'owner');
  // The example's events are from last year.
  await db('projects').where({ id: at.tenant.projectId }).update({ name: LONG, historical_from_project_key: true });
  await sendExample(at);
  const delivered = await createExport(at, 'Orders', { type: 'LocalFile', config: { directory: 'orders' } });
  const refused = await createExport(at, 'Clicks', await schemaPlace(at, { table_name: 'report' }));
  const long = await createExport(at, LONG, { type: 'LocalFile', config: { directory: `${'long-'.repeat(30)}name` } });
  const retried = await createExport(at, 'Lake', await bucketPlace({ bucket_name: 'not-there' }));
  const paused = await createExport(at, 'Legacy', { type: 'LocalFile', config: { directory: 'legacy' } });
  await at.request('POST', `/batch_exports/${paused}/pause/`, { reason: 'We move to another bucket', resume_at: null });
  await at.world.backfills.request(at.tenant.projectId, retried, MORNING);
  await Promise.all([delivered, refused, long].map((id) => deliverMorning(at, id)));
  await people(at);
  return {
    delivered,
    refused,
    retried,
    paused,
    deliveredRun: await newestRun(at, delivered),
    refusedRun: await newestRun(at, refused),
    retriedRun: await eventually('an attempt that failed', () => failingRun(at, retried)),
    flag: await flags(at),
    ...(await dashboards(at)),
  };
}

async function sendExample({ sluice, tenant }: ConsoleInstallation): Promise<void> {
  const lines = (await readFile(EXAMPLE, 'utf8')).trim().split('\n');
  const now = {
    event: 'order placed',
    distinct_id: `visitor-${'0123456789'.repeat(6)}`,
    properties: { [LONG]: LONG, total: 12.5 },
  };
  const headers = { 'Content-Type': 'application/json' };
  const all = [
    { historical_migration: true, batch: lines.map((line) => JSON.parse(line) as unknown) },
    { batch: [now, { ...now, event: LONG.replaceAll(' ', '_') }] },
  ];
  for (const one of all) {
    const body = JSON.stringify({ api_key: tenant.apiToken, ...one });
    const answer = await fetch(`${sluice.url}/batch/`, { method: 'POST', headers, body });
    if (!answer.ok) throw new Error(await answer.text());
  }
}

async function createExport(at: ConsoleInstallation, name: string, { type, config }: Place): Promise<string> {
  const body = { name, model: 'events', interval: 'hour', destination: { type, config } };
  return (await at.request<{ id: string }>('POST', '/batch_exports/', body)).id;
}

async function deliverMorning({ tenant, world }: ConsoleInstallation, id: string): Promise<void> {
  const backfill = await world.backfills.request(tenant.projectId, id, MORNING);
  await runsAfterBackfill(world, id, backfill.id);
}

async function newestRun({ request }: ConsoleInstallation, id: string): Promise<string> {
  return (await request<{ results: { id: string }[] }>('GET', `/batch_exports/${id}/runs/`)).results[0]!.id;
}

/** @returns the id of the newest run with an error, which Sluice retries */
async function failingRun({ request }: ConsoleInstallation, id: string): Promise<string | undefined> {
  const { results } = await request<{ results: { id: string; error: object | null }[] }>(
    'GET',
    `/batch_exports/${id}/runs/`,
  );
  return results.find(({ error }) => error !== null)?.id;
}

async function people({ sluice: { db }, tenant }: ConsoleInstallation): Promise<void> {
  const ben = await buildMember(db, tenant);
  await db('users').where({ id: ben.userId }).update({ first_name: 'Ben', last_name: 'Bitdiddle' });
  await keyStore(db).create({ userId: tenant.userId }, { label: 'nightly', description: LONG, scopes: ['event:read'] });
  const scopes = ['batch_export:write', 'feature_flag:read', 'dashboard:read'];
  await keyStore(db).create({ projectId: tenant.projectId }, { label: 'server', scopes });
  await db('organization_invites').insert({
    id: randomUUID(),
    organization_id: tenant.organizationId,
    first_name: '',
    message: '',
    email: 'cy.of.the.very.long.name.and.many.words@mail.of.a.department.example.com',
    role: 'member',
    token_hash: Buffer.alloc(32),
    created_by: tenant.userId,
    expires_at: new Date(Date.now() + 86_400_000),
  });
}

async function flags({ request }: ConsoleInstallation): Promise<string> {
  const make = (body: object) => request<{ id: number }>('POST', '/feature_flags/', body);
  await make({ key: 'on-for-everybody', filters: { groups: [{ properties: [] }] } });
  await make({ key: `long-${'key-'.repeat(20)}of-a-flag`, name: LONG, active: false });
  const { id } = await make({
    key: 'new-basket',
    name: 'The new basket',
    filters: {
      groups: [
        { properties: [GOOGLE], variant: 'large' },
        { properties: [], rollout_percentage: 20, description: LONG },
      ],
      multivariate: {
        variants: [
          { key: 'large', name: 'Large pictures', rollout_percentage: 50 },
          { key: 'small', rollout_percentage: 50 },
        ],
      },
      payloads: { large: '{"columns": 3}' },
    },
  });
  await request('PATCH', `/feature_flags/${id}/`, { name: 'The new basket, since May' });
  return String(id);
}

async function dashboards({
  request,
}: ConsoleInstallation): Promise<Pick<FurnishedIds, 'dashboard' | 'longDashboard'>> {
  const make = (body: object) => request<{ id: number }>('POST', '/dashboards/', body);
  const { id } = await make({ name: 'The coffee bar', description: 'What people drink.' });
  const { id: other } = await make({ name: LONG, description: LONG });
  const series = [{ kind: 'EventsNode', event: 'order placed', custom_name: 'Orders' }];
  for (const display of ['ActionsLineGraph', 'ActionsBar', 'BoldNumber', 'ActionsTable']) {
    const source = { kind: 'TrendsQuery', series, dateRange: { date_from: '-6d' }, trendsFilter: { display } };
    const query = { kind: 'InsightVizNode', source };
    await request('POST', '/insights/', { name: `Orders as ${display}`, query, dashboards: [id] });
  }
  const table = { kind: 'EventsQuery', select: ['event', 'distinct_id', 'timestamp'] };
  await request('POST', '/insights/', {
    name: LONG,
    query: { kind: 'DataTableNode', source: table },
    dashboards: [id],
  });
  await request('POST', `/dashboards/${id}/create_text_tile/`, { body: '## Hours\n\nFrom **8** to *late*.\n\n- one' });
  return { dashboard: String(id), longDashboard: String(other) };
}
