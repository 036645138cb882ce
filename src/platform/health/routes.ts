/** Routes for supervisors and load balancers. */
import { json, route } from '../http/route.ts';
import { Type } from '../schema.ts';
import type { Health } from './readiness.ts';

export type ProbeApi = { health: Health };

const Live = Type.Object({ live: Type.Literal(true) });
const Ready = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Record(Type.String(), Type.String(), {
    description: 'The result of each check by name: `ok`, or the reason for failure.',
  }),
});

const liveness = route({
  method: 'get',
  path: '/_livez/',
  access: { public: true },
  answers: { 200: Live },
  summary: 'Check whether the process responds',
  description: 'Does not depend on other services: restart a process that does not respond.',
  async handle() {
    return json(200, { live: true });
  },
});

export const readiness = route({
  method: 'get',
  path: '/_readyz/',
  access: { public: true },
  answers: { 200: Ready, 503: Ready },
  summary: 'Check whether the process is ready for requests',
  description: 'Responds with 503 while a dependency is unavailable, and during shutdown.',
  async handle(_request, { health }: ProbeApi) {
    const answer = await health.readiness();
    return json(answer.ready ? 200 : 503, answer);
  },
});

export const probeRoutes = [liveness, readiness];
