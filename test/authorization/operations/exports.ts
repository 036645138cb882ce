/** Operations on batch exports, their runs and backfills, and integrations. */
import { randomUUID } from 'node:crypto';
import { CANARY, type Asked, type Operation, type Workplace } from './workplace.ts';

const SECRETS = { aws_access_key_id: CANARY, aws_secret_access_key: CANARY };
/** Each in a place of its own. */
const s3 = () => ({
  type: 'S3',
  config: { bucket_name: 'files', region: 'eu-west-1', prefix: randomUUID(), ...SECRETS },
});
const hourly = () => ({ name: 'New', interval: 'hour', paused: true, destination: s3() });
const HOUR = { start_at: '2015-05-17T10:00:00Z', end_at: '2015-05-17T11:00:00Z' };
const BACKWARDS = { start_at: HOUR.end_at, end_at: HOUR.start_at };
const INTEGRATION = { kind: 'aws-s3', config: SECRETS };

const idOf = async ({ send }: Workplace, path: string, body: object) => String((await send('POST', path, body))['id']);
export async function anExport(at: Workplace): Promise<string> {
  // The project may have one backfill at a time.
  await at.db('batch_export_backfills').update({ cancelled_at: new Date(), finished_at: new Date() } as never);
  return idOf(at, '/batch_exports/', hourly());
}
const anIntegration = (at: Workplace) => idOf(at, '/integrations/', INTEGRATION);

const onExport =
  (request: Omit<Asked, 'params'>): Operation =>
  async (at) => ({ params: { id: await anExport(at) }, ...request });

/** A run as the engine stores it. */
async function aRun(at: Workplace, status: string) {
  const [id, exportId] = [randomUUID(), await anExport(at)];
  await at.db('batch_export_runs').insert({
    id,
    project_id: at.ours.projectId,
    batch_export_id: exportId,
    data_interval_start: HOUR.start_at,
    data_interval_end: HOUR.end_at,
    kind: 'scheduled',
    status,
    workflow_id: `${exportId}-${HOUR.end_at}`,
    workflow_run_id: randomUUID(),
  } as never);
  return { batch_export_id: exportId, id };
}

async function aForeignDelivery(at: Workplace) {
  const [id, exportId] = [randomUUID(), await anExport(at)];
  await at.db('foreign_deliveries').insert({
    id,
    batch_export_id: exportId,
    data_interval_start: HOUR.start_at,
    data_interval_end: HOUR.end_at,
    run_id: randomUUID(),
    epoch: 1,
    receipt: JSON.stringify({ rows: 1, bytes: 1, location: 'there', epoch: 1 }),
  } as never);
  return { batch_export_id: exportId, id };
}

export const exportOperations: Readonly<Record<string, Operation>> = {
  'POST /batch_exports/': () => ({
    body: hourly(),
    refused: { ...hourly(), destination: { type: 'S3', config: { ...s3().config, bucket_name: 'NO BUCKET' } } },
    tells: ['BatchExport created'],
  }),
  'PUT /batch_exports/:id/': onExport({
    body: { ...hourly(), name: 'Renamed' },
    refused: { ...hourly(), interval: 'never' },
    tells: ['BatchExport updated'],
  }),
  'PATCH /batch_exports/:id/': onExport({
    body: { destination: { type: 'S3', config: { aws_secret_access_key: `${CANARY}-too`, prefix: 'x' } } },
    refused: { model: 'persons' },
    tells: ['BatchExport updated'],
  }),
  'DELETE /batch_exports/:id/': onExport({ tells: ['BatchExport deleted'] }),
  'POST /batch_exports/:id/pause/': async (at) => {
    const id = await idOf(at, '/batch_exports/', { ...hourly(), paused: false });
    return {
      params: { id },
      body: { reason: 'The bucket moves' },
      refused: { resume_at: '2015-05-17' },
      tells: ['BatchExport updated'],
    };
  },
  'POST /batch_exports/:id/unpause/': onExport({ body: {}, tells: ['BatchExport updated'] }),
  'POST /batch_exports/bulk/': async (at) => {
    const { id } = await at.send('POST', '/batch_exports/', { ...hourly(), paused: false });
    return {
      body: { action: 'pause', ids: [id] },
      refused: { action: 'pause', ids: [] },
      tells: ['BatchExport updated'],
    };
  },
  'PUT /batch_exports/:id/access_controls/': async (at) => ({
    params: { id: await anExport(at) },
    body: { access_level: 'viewer', organization_member: at.colleague.membershipId },
    refused: { access_level: 'king' },
    tells: ['BatchExport updated'],
  }),
  'POST /batch_exports/:batch_export_id/runs/:id/retry/': async (at) => ({
    params: await aRun(at, 'Completed'),
    tells: ['BatchExportBackfill created'],
  }),
  'POST /batch_exports/:batch_export_id/runs/:id/cancel/': async (at) => ({
    params: await aRun(at, 'Starting'),
    tells: ['BatchExportRun updated'],
  }),
  'POST /batch_exports/:batch_export_id/foreign_deliveries/:id/accept/': async (at) => ({
    params: await aForeignDelivery(at),
    body: { side: 'ours' },
    refused: { side: 'nobody' },
    tells: ['BatchExport updated'],
  }),
  'POST /batch_exports/:id/backfill/': onExport({
    body: HOUR,
    refused: BACKWARDS,
    tells: ['BatchExportBackfill created'],
  }),
  'POST /batch_exports/:batch_export_id/backfills/': async (at) => ({
    params: { batch_export_id: await anExport(at) },
    body: HOUR,
    refused: BACKWARDS,
    tells: ['BatchExportBackfill created'],
  }),
  'POST /batch_exports/:batch_export_id/backfills/:id/cancel/': async (at) => {
    const exportId = await anExport(at);
    const { backfill_id: id } = await at.send('POST', `/batch_exports/${exportId}/backfills/`, HOUR);
    return { params: { batch_export_id: exportId, id: String(id) }, tells: ['BatchExportBackfill updated'] };
  },
  'POST /integrations/': () => ({
    body: INTEGRATION,
    refused: { kind: 'aws-s3', config: { ...SECRETS, no: 1 } },
    tells: ['Integration created'],
  }),
  'PATCH /integrations/:id/': async (at) => ({
    params: { id: await anIntegration(at) },
    body: { config: { aws_secret_access_key: `${CANARY}-too` } },
    refused: { config: { aws_secret_access_key: 5 } },
    tells: ['Integration updated'],
  }),
  'DELETE /integrations/:id/': async (at) => ({
    params: { id: await anIntegration(at) },
    tells: ['Integration deleted'],
  }),
};
