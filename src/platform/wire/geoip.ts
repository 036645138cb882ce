/** Looks up the location of an address in the operator's database. */
import { readFile } from 'node:fs/promises';
import ipaddr from 'ipaddr.js';
import { Reader, type Response } from 'maxmind';
import { CommandFailed } from '../errors.ts';
import { isPublic } from '../net/host-rules.ts';

/** `$geoip_*` properties, named as upstream names them; only those that the database has. */
export type GeoProperties = Readonly<Record<string, string | number>>;

/** @returns undefined for a private or unknown address, and for a text that is not an address. Never throws. */
export type Locate = (address: string) => GeoProperties | undefined;

/**
 * @param path a MaxMind database (`.mmdb`) of cities or countries: MaxMind's own layout (GeoLite2, GeoIP2, DB-IP) or the flat one of
 *   `@ip-location-db`; held in memory
 * @throws CommandFailed when the file cannot be read, or is not such a database
 */
export async function openGeoip(path: string): Promise<Locate> {
  const reader = await open(path).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === undefined ? 'it is not a MaxMind database' : cause.code;
    throw new CommandFailed(`GEOIP_DB_PATH: ${path} cannot be used: ${reason}.`, { cause });
  });
  return (address) => {
    if (!isPublic(address)) return undefined;
    try {
      const record: unknown = reader.get(ipaddr.process(address).toString());
      return isMap(record) ? geoProperties(record) : undefined;
    } catch {
      // A database that is damaged in the middle: an event without a location is better than no event.
      return undefined;
    }
  };
}

async function open(path: string): Promise<Reader<Response>> {
  return new Reader<Response>(await readFile(path));
}

type GeoRecord = Record<string, unknown>;

function geoProperties(record: GeoRecord): GeoProperties | undefined {
  const properties: Record<string, string | number> = {};
  for (const [name, value] of Object.entries('country_code' in record ? fromFlat(record) : fromMaxmind(record))) {
    const isText = typeof value === 'string' && value !== '';
    if (isText || Number.isFinite(value)) properties[`$geoip_${name}`] = value as string | number;
  }
  return Object.keys(properties).length > 0 ? properties : undefined;
}

/** Reads MaxMind's layout: https://dev.maxmind.com/geoip/docs/databases/city-and-country/city-binary */
function fromMaxmind(record: GeoRecord): GeoRecord {
  const { city, country, continent, postal, location, subdivisions } = record;
  const divisions = Array.isArray(subdivisions) ? (subdivisions as unknown[]) : [];
  return {
    city_name: englishName(city),
    country_name: englishName(country),
    country_code: fieldOf(country, 'iso_code'),
    continent_name: englishName(continent),
    continent_code: fieldOf(continent, 'code'),
    postal_code: fieldOf(postal, 'code'),
    latitude: numberOf(fieldOf(location, 'latitude')),
    longitude: numberOf(fieldOf(location, 'longitude')),
    accuracy_radius: numberOf(fieldOf(location, 'accuracy_radius')),
    time_zone: fieldOf(location, 'time_zone'),
    ...Object.fromEntries(
      divisions.flatMap((division, index) => [
        [`subdivision_${index + 1}_code`, fieldOf(division, 'iso_code')],
        [`subdivision_${index + 1}_name`, englishName(division)],
      ]),
    ),
  };
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

/** Reads the flat layout of https://github.com/sapics/ip-location-db: codes of countries without their names, and no continents. */
function fromFlat(record: GeoRecord): GeoRecord {
  const code = record['country_code'];
  return {
    city_name: record['city'],
    country_name: typeof code === 'string' && /^[A-Z]{2}$/.test(code) ? COUNTRIES.of(code) : undefined,
    country_code: code,
    postal_code: record['postcode'],
    latitude: numberOf(record['latitude']),
    longitude: numberOf(record['longitude']),
    time_zone: record['timezone'],
    subdivision_1_name: record['state1'],
    subdivision_2_name: record['state2'],
  };
}

/** Some databases write numbers as text. */
function numberOf(value: unknown): number | undefined {
  return value === undefined || value === '' ? undefined : Number(value);
}

function englishName(place: unknown): unknown {
  return fieldOf(fieldOf(place, 'names'), 'en');
}

function fieldOf(value: unknown, name: string): unknown {
  return isMap(value) ? value[name] : undefined;
}

function isMap(value: unknown): value is GeoRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
