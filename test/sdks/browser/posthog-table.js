/** A page that asks a server for flags with the posthog-js that the server itself gives out, as its snippet loads it. */
const { host, token, person, groups } = Object.fromEntries(new URLSearchParams(location.search));

function load() {
  const script = document.createElement('script');
  script.src = `${host}/static/array.js`;
  script.addEventListener('load', () =>
    window.posthog.init(token, {
      api_host: host,
      // Without the filter's end it takes a browser without a head for a bot, and sends nothing.
      opt_out_useragent_filter: true,
      bootstrap: { distinctID: person, isIdentifiedID: true },
      loaded(posthog) {
        for (const [type, key] of Object.entries(JSON.parse(groups))) posthog.group(type, key);
      },
    }),
  );
  document.head.append(script);
}

window.tell = () => {
  const values = window.posthog.featureFlags.getFlagVariants();
  return Object.entries(values).map(([flag, value]) => ({
    flag,
    value,
    payload: window.posthog.getFeatureFlagPayload(flag) ?? null,
  }));
};

load();
