/**
 * Tells a server the story of test/support/sdks/sdk-story.ts, with whichever posthog-js its page has loaded before.
 * The record of what the SDK sent is kept in the storage of the site, which outlives the page.
 */
const { host, token, profiles } = Object.fromEntries(new URLSearchParams(location.search));
const { posthog } = window;

function listen() {
  const said = [];
  posthog.on('eventCaptured', ({ uuid, event, properties }) => {
    said.push({ uuid, event, distinct_id: properties.distinct_id, properties: { n: properties.n } });
    localStorage.setItem('said', JSON.stringify(said));
  });
}

// Without the filter's end it takes a browser without a head for a bot, and sends nothing.
posthog.init(token, { api_host: host, person_profiles: profiles, opt_out_useragent_filter: true, loaded: listen });
posthog.capture('looked around');
posthog.capture('looked around');
posthog.identify('user-1', { email: 'ada@example.com', plan: 'free' }, { first_seen: 'monday' });
posthog.alias('visitor-1');
posthog.capture('came back');
posthog.setPersonProperties({ plan: 'pro' }, { first_seen: 'tuesday' });
posthog.group('company', 'acme', { tier: 'gold' });
posthog.capture('invited');
// After a hundred events at once it would begin to drop some.
for (let n = 0; n < 50; n++) posthog.capture('counted', { n });
// The last ones are left to the browser to send, while the page goes away. The SDK sends at `pagehide`, which comes after this.
window.addEventListener('beforeunload', () => posthog.capture('left'));
