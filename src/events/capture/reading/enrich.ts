/** Additions of the server to events: the address that they came from, and where that is. */
import type { Locate } from '../../../platform/wire/geoip.ts';
import { isCookieless } from './cookieless.ts';
import { isObject } from '../envelope.ts';

export type Origin = {
  /** Of the client; '' when it is not known. */
  address: string;
  /** Whether the project stores no IP addresses: they are used for geolocation only. */
  anonymize: boolean;
};

/** Adds in place, before anything of the events is looked at; what is no event yet stays what it is. */
export type Enrich = (events: readonly unknown[], origin: Origin) => void;

/**
 * `$ip` is the event's own where it has one, null included: a server that reports on its users knows them better than we do.
 * `$geoip_disable` keeps the place away. What the database knows of the address overrides what the event says.
 * @param locate absent: there is no database
 */
export function createEnrichment(locate?: Locate): Enrich {
  return (events, origin) => {
    const locateOnce = locate && remembering(locate);
    for (const event of events) {
      // Where visitors without cookies come from is not kept.
      if (!isObject(event) || isCookieless(event)) continue;
      // Parsed for this request: nobody else has it.
      const parsed = event as { properties?: unknown };
      parsed.properties ??= {};
      if (isObject(parsed.properties)) enrich(parsed.properties, origin, locateOnce);
    }
  };
}

function enrich(properties: Record<string, unknown>, { address, anonymize }: Origin, locate: Locate | undefined): void {
  const isGiven = '$ip' in properties;
  const ip = isGiven ? properties['$ip'] : address;
  if (locate && typeof ip === 'string' && properties['$geoip_disable'] !== true) {
    Object.assign(properties, locate(ip));
  }
  if (isGiven && anonymize) delete properties['$ip'];
  if (!isGiven && !anonymize && address !== '') properties['$ip'] = address;
}

/** The events of a request mostly have one address, or come one address after another. */
function remembering(locate: Locate): Locate {
  let last: string | undefined;
  let place: ReturnType<Locate>;
  return (address) => {
    if (address !== last) [last, place] = [address, locate(address)];
    return place;
  };
}
