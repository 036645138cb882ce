/** A page that asks a server for flags, with whichever posthog-js it has loaded before. */
const { host, token, bootstrap } = Object.fromEntries(new URLSearchParams(location.search));
const { posthog } = window;

// Without the filter's end it takes a browser without a head for a bot, and sends nothing.
posthog.init(token, {
  api_host: host,
  opt_out_useragent_filter: true,
  ...(bootstrap && { bootstrap: JSON.parse(bootstrap) }),
});
window.before = posthog.getFeatureFlag('everybody', { send_event: false });

let isAnswered = false;
posthog.onFeatureFlags(() => (isAnswered = true));
window.received = () => isAnswered;
window.values = () => {
  const flags = posthog.featureFlags.getFlagVariants();
  return Object.fromEntries(Object.keys(flags).map((key) => [key, posthog.getFeatureFlag(key, { send_event: false })]));
};
