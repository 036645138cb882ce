/** Routes for supervisors and load balancers. */
import { json, route } from '../http/route.ts';
import { Type } from '../schema.ts';
import type { Health } from './readiness.ts';

export type HealthApi = { health: Health };

const Live = Type.Object({ live: Type.Literal(true) });
const Ready = Type.Object({
  ready: Type.Boolean(),
  checks: Type.Record(Type.String(), Type.String(), { description: '`ok`, or why not, by name of the check' }),
});

const liveness = route({
  method: 'get',
  path: '/_livez/',
  access: { public: true },
  answers: { 200: Live },
  summary: 'Whether the process answers',
  description: 'Asks nothing of anybody else: a process that does not answer should be restarted.',
  async handle() {
    return json(200, { live: true });
  },
});

export const readiness = route({
  method: 'get',
  path: '/_readyz/',
  access: { public: true },
  answers: { 200: Ready, 503: Ready },
  summary: 'Whether the process can do its work now',
  description: '503 while something it depends on is missing, and from the start of its shutdown.',
  async handle(_request, { health }: HealthApi) {
    const answer = await health.readiness();
    return json(answer.ready ? 200 : 503, answer);
  },
});

export const healthRoutes = [liveness, readiness];
