/** Maps `$initial_X`, the value of X when the person was first seen, to X, which is used if `$initial_X` is unknown. */

const NAMES = `
  $app_build $app_name $app_namespace $app_version
  $browser $browser_version $device_type $os $os_version $raw_user_agent
  $current_url $pathname $referrer $referring_domain
  $screen_height $screen_width $viewport_height $viewport_width
  utm_source utm_medium utm_campaign utm_content utm_term
  gclid gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid
  igshid ttclid rdt_cid epik qclid sccid irclid _kx
`;

const CURRENT_OF_INITIAL = new Map(
  NAMES.trim()
    .split(/\s+/)
    .map((name) => [`$initial_${name.replace('$', '')}`, name]),
);

/** `$browser` for `$initial_browser`; undefined for other keys. */
export function currentOfInitial(key: string): string | undefined {
  return CURRENT_OF_INITIAL.get(key);
}
