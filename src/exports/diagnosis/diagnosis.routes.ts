/** `/runs/:id/diagnosis/`: why a run did not deliver. */
import { json, route } from '../../platform/http/route.ts';
import { type ExportsApi, PARENT_EXPORT, BatchExportItemParams } from '../api.ts';
import { DiagnosisBody, presentDiagnosis } from './diagnosis.schema.ts';

const diagnoseRun = route({
  method: 'get',
  path: '/batch_exports/:batch_export_id/runs/:id/diagnosis/',
  access: { scope: 'batch_export:read', object: PARENT_EXPORT },
  params: BatchExportItemParams,
  answers: { 200: DiagnosisBody },
  summary: 'Diagnose why a run did not deliver',
  async handle({ project, params }, { diagnoses }: ExportsApi) {
    return json(200, presentDiagnosis(await diagnoses.of(project.id, params.batch_export_id, params.id)));
  },
});

export const diagnosisRoutes = [diagnoseRun];
