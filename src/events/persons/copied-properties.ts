/** Properties of events that also describe the person: their devices and programs, their location, and the source that led them here. */

type Copy = {
  /** Person property that keeps the first value ever seen. */
  initialName: string;
  /** Changes all the time, so it alone does not justify a change of the person. */
  isVolatile: boolean;
};

const VOLATILE_NAMES = splitWords(`
  $current_url $pathname $referrer $referring_domain
  $screen_height $screen_width $viewport_height $viewport_width
  $browser $browser_version $device_type $os $os_version $raw_user_agent
  $geoip_postal_code $geoip_latitude $geoip_longitude $geoip_accuracy_radius $geoip_time_zone
  $geoip_subdivision_1_code $geoip_subdivision_1_name $geoip_subdivision_2_code $geoip_subdivision_2_name
  $geoip_subdivision_3_code $geoip_subdivision_3_name
`);

const STABLE_NAMES = splitWords(`
  $app_build $app_name $app_namespace $app_version
  $geoip_city_name $geoip_country_name $geoip_country_code $geoip_continent_name $geoip_continent_code
  utm_source utm_medium utm_campaign utm_content utm_term
  gclid gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid
  igshid ttclid rdt_cid epik qclid sccid irclid _kx
`);

/** Keyed by the name of the property. */
export const COPIED: ReadonlyMap<string, Copy> = new Map([
  ...VOLATILE_NAMES.map((name) => copyOf(name, true)),
  ...STABLE_NAMES.map((name) => copyOf(name, false)),
]);

/** Properties that describe a server, not the person it reports on; SDKs for servers send `$is_server`. */
export const NOT_OF_SERVERS: ReadonlySet<string> = new Set(['$os', '$os_version']);

function copyOf(name: string, isVolatile: boolean): [string, Copy] {
  return [name, { initialName: `$initial_${name.replace('$', '')}`, isVolatile }];
}

function splitWords(text: string): string[] {
  return text.trim().split(/\s+/);
}
