/** A page of a person that is known, with whichever posthog-js it has loaded before. */
const { host, token, person } = Object.fromEntries(new URLSearchParams(location.search));
const { posthog } = window;

posthog.init(token, {
  api_host: host,
  // Without the filter's end it takes a browser without a head for a bot, and sends nothing.
  opt_out_useragent_filter: true,
  request_batching: false,
});
posthog.identify(person);

/** Forgets what the browser itself remembers of surveys, and of nothing else. */
window.forgetSurveys = () => {
  for (const key of Object.keys(localStorage)) if (/survey/i.test(key)) localStorage.removeItem(key);
};

let flagsCame = () => {};
posthog.onFeatureFlags(() => flagsCame());

/** @returns the names of the surveys that would be shown to this person now, by flags that the server gave after this was asked */
window.surveysToShow = () =>
  new Promise((resolve) => {
    flagsCame = () => posthog.getActiveMatchingSurveys((surveys) => resolve(surveys.map(({ name }) => name)), true);
    // The older one looks without what shows them.
    if (posthog.onSurveysLoaded) posthog.onSurveysLoaded(() => posthog.reloadFeatureFlags());
    else posthog.reloadFeatureFlags();
  });

window.features = () => new Promise((resolve) => void posthog.getEarlyAccessFeatures(resolve, true));
