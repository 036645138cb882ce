/** Reads the SDK that a request claims to come from, as `name/version`; used only for counts, never for decisions. */

/** The first product of a User-Agent: `posthog-node/5.70.0`, `python-requests/2.31`. */
const PRODUCT = /^([a-z][a-z0-9._-]{0,39})(?:\/v?(\d{1,6}(?:\.\d{1,6}){0,3}(?:-[a-z0-9.]{1,20})?))?(?=[\s;,(]|$)/i;
const VERSION = /^\d{1,6}(\.\d{1,6}){0,3}(-[a-z0-9.]{1,20})?$/i;

const UNKNOWN_SDK = 'unknown';

/**
 * @param userAgent header of the request
 * @param version `ver` of the query, where posthog-js sends its version
 */
export function sdkName(userAgent: string | undefined, version: string | null | undefined): string {
  if (version && VERSION.test(version)) return `posthog-js/${version}`;
  const [, name, number] = PRODUCT.exec(userAgent ?? '') ?? [];
  if (name === undefined) return UNKNOWN_SDK;
  if (name === 'Mozilla') return 'browser';
  return number === undefined ? name : `${name}/${number}`;
}
