/**
 * Checks the HTML in texts of surveys, which SDKs insert into web pages. A text is stored unchanged, or refused if sanitize-html would
 * remove anything from it, so only tags and attributes that are known to be harmless pass.
 */
import sanitizeHtml, { type IOptions } from 'sanitize-html';

const TAGS = (
  'a abbr acronym article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em ' +
  'figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span ' +
  'strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
).split(' ');
const ATTRIBUTES = (
  'align alt bgcolor border cellpadding cellspacing cite colspan datetime dir headers height href hreflang lang open rel ' +
  'reversed rowspan scope span src start style target title type valign width'
).split(' ');
const URL_ATTRIBUTES = ['cite', 'href', 'src'];
/** Absolute URLs only, because a relative one would refer to the site that shows the survey. */
const ABSOLUTE_URL = /^(?:https?:\/\/|mailto:)/i;

const COMMON_OPTIONS: IOptions = { parseStyleAttributes: false };
const ALLOW_ALL: IOptions = {
  ...COMMON_OPTIONS,
  allowedTags: false,
  allowedAttributes: false,
  allowedSchemesAppliedToAttributes: [],
  nonBooleanAttributes: [],
  allowVulnerableTags: true,
};
const ALLOW_HARMLESS: IOptions = {
  ...COMMON_OPTIONS,
  allowedTags: TAGS,
  allowedAttributes: { '*': ATTRIBUTES },
  allowedSchemes: ['http', 'https', 'mailto'],
  allowedSchemesAppliedToAttributes: URL_ATTRIBUTES,
  transformTags: { '*': withoutRelativeUrls },
};

/** Text that browsers read as the beginning of a tag, a comment or a declaration, unlike `1 < 2` and `<3`. */
const OPENING = /<(?=[a-z/!?])/i;
/** A tag that all browsers and parsers read the same way. */
const TAG = /<\/?([a-z][a-z0-9]*)(?:\s+[a-z-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))?)*\s*\/?>/gi;

/** @returns a sentence about the fault; undefined if every tag in the text is harmless */
export function htmlFault(text: string): string | undefined {
  if (OPENING.test(text.replace(TAG, ''))) {
    return 'This is not well-formed HTML: write "&lt;" for a "<" that begins no tag.';
  }
  // tooth: survey-html
  const refusedTag = [...text.matchAll(TAG)].find(([tag]) => isChangedBySanitizer(tag.replace('</', '<')));
  if (!refusedTag) return undefined;
  const [tag, name = ''] = refusedTag;
  if (!TAGS.includes(name.toLowerCase())) return `The tag <${name.toLowerCase()}> is not allowed here.`;
  return `${tag.slice(0, 100)} has an attribute that is not allowed here, or an address that does not begin with https://, http:// or mailto:.`;
}

function isChangedBySanitizer(tag: string): boolean {
  return sanitizeHtml(tag, ALLOW_HARMLESS) !== sanitizeHtml(tag, ALLOW_ALL);
}

function withoutRelativeUrls(tagName: string, attributes: Record<string, string>) {
  const allowedEntries = Object.entries(attributes).filter(
    ([name, value]) => !URL_ATTRIBUTES.includes(name) || ABSOLUTE_URL.test(value),
  );
  return { tagName, attribs: Object.fromEntries(allowedEntries) };
}
