/** Adds the client's address and location to events. */
import type { Locate } from '../../../platform/wire/geoip.ts';
import { isCookieless } from './cookieless.ts';
import { isObject } from '../envelope.ts';

export type Origin = {
  /** Address of the client; '' when it is not known. */
  address: string;
  /** Whether the project stores no IP addresses; they are then used for geolocation only. */
  anonymize: boolean;
};

/** Changes the events in place, before they are checked; leaves values that are not objects alone. */
export type Enrich = (events: readonly unknown[], origin: Origin) => void;

/**
 * Keeps an event's own `$ip`, even null: a server that reports on its users knows their addresses better than Sluice does.
 * `$geoip_disable` suppresses the location. The database's values for the address override the event's own.
 * @param locate absent: there is no geolocation database
 */
export function createEnrichment(locate?: Locate): Enrich {
  return (events, origin) => {
    const locateOnce = locate && rememberLast(locate);
    for (const event of events) {
      // The location of visitors without cookies is not stored.
      if (!isObject(event) || isCookieless(event)) continue;
      // Safe to change: the event was parsed for this request.
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

/** Remembers the last address: events of one request mostly share one, or come one address after another. */
function rememberLast(locate: Locate): Locate {
  let last: string | undefined;
  let location: ReturnType<Locate>;
  return (address) => {
    if (address !== last) [last, location] = [address, locate(address)];
    return location;
  };
}
