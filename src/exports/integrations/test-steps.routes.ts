/** `/batch_exports/test/`, `/batch_exports/run_test_step_new/`, `/batch_exports/:id/run_test_step/`: upstream's paths and bodies. */
import { json, noBody, route } from '../../platform/http/route.ts';
import { nullable, stringEnum, Type } from '../../platform/schema.ts';
import { BatchExportParams, type ExportsApi, EXPORT_BY_ID } from '../api.ts';
import { newExportOf, patchOf } from '../batch-exports/batch-exports.routes.ts';
import { BatchExportPatchBody, NewBatchExportBody } from '../batch-exports/batch-exports.schema.ts';

const stepFields = { name: Type.String(), description: Type.String() };
const StepsBody = Type.Object(
  { steps: Type.Array(Type.Object({ ...stepFields, result: Type.Null() })) },
  { title: 'TestSteps' },
);
const TestedStepBody = Type.Object(
  {
    ...stepFields,
    result: Type.Object({
      status: stringEnum(['Passed', 'Failed', 'Skipped']),
      message: nullable(Type.String(), {
        description: 'The failure and how to fix it, or why the step was skipped; null if it passed.',
      }),
    }),
  },
  { title: 'TestedStep' },
);
const step = Type.Integer({ minimum: 0, default: 0, description: 'The index of the step to run, from 0.' });

const listTestSteps = route({
  method: 'get',
  path: '/batch_exports/test/',
  access: { scope: 'batch_export:read' },
  query: Type.Object({ destination: Type.Optional(Type.String({ description: 'The type of destination.' })) }),
  answers: { 200: StepsBody, 400: null, 404: null },
  summary: 'List the test steps for a type of destination',
  description:
    'Responds with an empty 400 if `destination` is missing, and with an empty 404 if the type is not available.',
  async handle({ query }, { testSteps }: ExportsApi) {
    if (!query.destination) return noBody(400);
    const steps = testSteps.stepsOf(query.destination);
    return steps ? json(200, { steps: steps.map((testStep) => ({ ...testStep, result: null })) }) : noBody(404);
  },
});

const runNewTestStep = route({
  method: 'post',
  path: '/batch_exports/run_test_step_new/',
  access: { scope: 'batch_export:write' },
  body: Type.Object({ ...NewBatchExportBody.properties, step }, { title: 'NewTestStep' }),
  errors: [409],
  answers: { 200: TestedStepBody },
  summary: 'Run a test step for an unsaved batch export',
  description:
    'The body is that of a new batch export and is validated in the same way. A step takes at most ten seconds.',
  async handle({ project, body }, { testSteps }: ExportsApi) {
    return json(200, await testSteps.runNew(project.id, newExportOf(body), body.step));
  },
});

const runTestStep = route({
  method: 'post',
  path: '/batch_exports/:id/run_test_step/',
  access: { scope: 'batch_export:write', object: EXPORT_BY_ID },
  params: BatchExportParams,
  body: Type.Object({ ...BatchExportPatchBody.properties, step }, { title: 'TestStep' }),
  errors: [409],
  answers: { 200: TestedStepBody },
  summary: 'Run a test step for a saved batch export',
  description: 'The body is that of a PATCH: its values are tested in place of the stored ones, which do not change.',
  async handle({ project, params, body }, { testSteps, batchExports }: ExportsApi) {
    const patch = patchOf(body, await batchExports.get(project.id, params.id));
    return json(200, await testSteps.runStored(project.id, params.id, patch, body.step));
  },
});

/** Must precede `/batch_exports/:id/`, whose id would match `test`. */
export const testStepRoutes = [listTestSteps, runNewTestStep, runTestStep];
