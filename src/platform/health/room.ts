/** The installation itself: liveness and readiness for supervisors and load balancers, and its settings for signed-in users. */
import type { Room } from '../http/room.ts';
import type { Route } from '../http/route.ts';
import { instanceRoutes, type Instance, type InstanceApi } from './instance.routes.ts';
import { createHealth, type Check } from './readiness.ts';
import { probeRoutes, type ProbeApi } from './routes.ts';

export type HealthApi = ProbeApi & InstanceApi;

export const healthRoutes: readonly Route<HealthApi>[] = [...probeRoutes, ...instanceRoutes];

export function createHealthRoom(checks: readonly Check[], instance: Instance): Room<HealthApi> {
  const health = createHealth(checks);
  return { collaborators: { health, instance }, drain: health.drain };
}
