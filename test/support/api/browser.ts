/** Cookies of an answer, kept and sent back as a browser does. */
import type { ApiAnswer } from './api.ts';

export function cookiesOf(answer: ApiAnswer): Record<string, string> {
  return Object.fromEntries(answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0]!.split('=')));
}

/** Headers of a request from one of our pages, in the browser that got the answer. */
export function browser(answer: ApiAnswer): Record<string, string> {
  const { sessionid = '', posthog_csrftoken: csrf = '' } = cookiesOf(answer);
  return { Cookie: `other=1; sessionid=${sessionid}; posthog_csrftoken=${csrf}`, 'X-CSRFToken': csrf };
}
