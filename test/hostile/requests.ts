import { publicRequests } from './public-requests.ts';
import type { HostileRequest, HostileWorld } from './world.ts';

export async function hostileRequests(world: HostileWorld): Promise<HostileRequest[]> {
  return [...publicRequests(world.tenant.apiToken)];
}
