/** The document that the server gives, with the ids of what it has. */
import { apiRoutes, rawRoutes } from '../../src/app/api.ts';
import { pathsOf } from '../../src/platform/http/paths.ts';
import type { Workplace } from '../authorization/operations/workplace.ts';
import { seed, type Example } from './seed.ts';

type Parameter = { in: 'path' | 'query'; name: string; required: boolean; schema: object; example?: unknown };
type Content = Record<string, { example?: unknown; schema?: object }>;
type Operation = {
  parameters: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};
export type Document = { paths: Record<string, Record<string, Operation>> };

export const LEFT_OUT: readonly string[] = [
  // Each case would be a connection that stays open.
  'get /ofrep/v1/event-stream/',
  'get /api/environments/{project_id}/live/',
  // The example of ending one session would find it gone.
  'post /api/users/@me/sessions/end_others/',
  // A fuzzed installation sends no mail.
  'post /api/reset/',
];

/** OpenAPI 3.1 has no words for one event of a stream; schemathesis holds each event against the schema of the stream. */
const EVENT = {
  type: 'object',
  properties: { event: { type: 'string' }, data: { type: 'string', minLength: 1 } },
  required: ['data'],
};

export async function documentFor(at: Workplace, url: string): Promise<Document> {
  const document = (await (await fetch(`${url}/api/schema/`)).json()) as Document;
  const exampleOf = await seed(at, url);
  for (const route of [...apiRoutes, ...rawRoutes]) {
    for (const path of pathsOf(route)) {
      const address = path.replace(/:(\w+)/g, '{$1}');
      const operations = document.paths[address] ?? {};
      const operation = operations[route.method];
      if (LEFT_OUT.includes(`${route.method} ${address}`)) delete operations[route.method];
      else if (operation) fill(operation, await exampleOf(route), at, route.method === 'delete');
    }
  }
  await revive(at);
  return document;
}

/** Examples that came later ended the backfills of earlier ones, for a project that may have one at a time. */
async function revive({ db }: Workplace): Promise<void> {
  await db('batch_export_backfills').update({ cancelled_at: null, finished_at: null });
}

function fill(operation: Operation, { params = {}, query = {}, body }: Example, at: Workplace, isLast: boolean): void {
  const tenant = { project_id: at.ours.projectId, organization_id: at.ours.organizationId };
  for (const parameter of operation.parameters) {
    const given = parameter.in === 'path' ? { ...tenant, ...params }[parameter.name] : query[parameter.name];
    // An optional parameter is best left out: an example of it would be nothing that is there.
    delete parameter.example;
    if (given === undefined) continue;
    const value = (parameter.schema as { type?: string }).type === 'integer' ? Number(given) : given;
    parameter.example = value;
    // Nearly always that one: of another there is only to say that it is not there.
    if (parameter.in === 'path' && !isLast) parameter.schema = { ...parameter.schema, enum: [value] };
  }
  for (const content of Object.values(operation.requestBody?.content ?? {})) delete content.example;
  for (const { content } of Object.values(operation.responses)) {
    const stream = content?.['text/event-stream'];
    if (stream) stream.schema = EVENT;
  }
  const json = operation.requestBody?.content['application/json'];
  if (json && body !== undefined) json.example = body;
}
