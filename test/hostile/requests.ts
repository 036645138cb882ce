import { memberRequests } from './member-requests.ts';
import { sweptRequests } from './member-sweep.ts';
import { publicRequests } from './public-requests.ts';
import type { HostileRequest, HostileWorld } from './world.ts';

/** By whose key they are sent, in the order in which they are to be sent. */
export async function hostileRequests(
  world: HostileWorld,
): Promise<Readonly<Record<'public' | 'member', HostileRequest[]>>> {
  return {
    public: publicRequests(world.tenant.apiToken),
    member: [...memberRequests(world), ...(await sweptRequests(world))],
  };
}
