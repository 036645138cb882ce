/** Liveness and readiness for supervisors and load balancers. */
import type { Room } from '../http/room.ts';
import { createHealth, type Check } from './readiness.ts';
import type { HealthApi } from './routes.ts';

export function createHealthRoom(checks: readonly Check[]): Room<HealthApi> {
  const health = createHealth(checks);
  return { collaborators: { health }, drain: health.drain };
}
