/** Identifies visitors without cookies in requests for flags (docs/cookieless.md). */
import { isSentinel } from '../../events/cookieless/ids.ts';
import type { Salts } from '../../events/cookieless/salts.ts';
import { siteOf } from '../../events/cookieless/site.ts';
import { visitorOf } from '../../events/cookieless/visitor.ts';
import type { ClientAddress } from '../../platform/wire/client-address.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import type { EvaluationRequest } from '../evaluation/decision.ts';

/** Origin of a request, and `extra`: a value from the page that helps to tell its visitors apart. */
export type Arrival = Parameters<ClientAddress>[0] & { extra?: unknown };

export type Visitors = {
  /**
   * @returns the request with the visitor's distinct id of today; unchanged if it is not from a visitor without cookies, or if it lacks
   * the data that identify a visitor
   * @throws Unavailable without a salt
   */
  identifyVisitor(
    project: ProjectFlags,
    request: EvaluationRequest,
    arrival: Arrival,
  ): EvaluationRequest | Promise<EvaluationRequest>;
};

export type VisitorsOptions = { salts: Pick<Salts, 'getTodaysSalt'>; clientAddress: ClientAddress };

export function createVisitors({ salts, clientAddress }: VisitorsOptions): Visitors {
  return {
    identifyVisitor({ projectId, settings }, request, arrival) {
      if (!settings.cookieless || !isSentinel(request.distinctId)) return request;
      const { origin, 'user-agent': userAgent } = arrival.headers;
      const site = siteOf(origin ?? '');
      const address = clientAddress(arrival);
      if (site === undefined || !userAgent || address === '') return request;
      return salts.getTodaysSalt(projectId).then((salt) => {
        const { distinctId } = visitorOf(salt, { projectId, address, site, userAgent, extra: arrival.extra });
        return { ...request, distinctId };
      });
    },
  };
}
