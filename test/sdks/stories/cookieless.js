/** A page whose visitors have no cookies, with whichever posthog-js it has loaded before. */
const { host, token, mode } = Object.fromEntries(new URLSearchParams(location.search));

// Without the filter's end it takes a browser without a head for a bot, and sends nothing.
window.posthog.init(token, {
  api_host: host,
  cookieless_mode: mode,
  person_profiles: 'always',
  opt_out_useragent_filter: true,
});
