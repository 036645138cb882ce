/**
 * Which HTML may stand in the texts of surveys. SDKs put it into the pages of other people's customers, so everything that is not
 * known to be harmless is refused: a text is saved as it was given, or not at all.
 */

const TAGS = new Set(
  (
    'a abbr acronym article aside b bdi bdo blockquote br caption center cite code col colgroup dd del details dfn div dl dt em ' +
    'figcaption figure footer h1 h2 h3 h4 h5 h6 header hgroup hr i img ins kbd li mark ol p pre q rp rt ruby s samp small span ' +
    'strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr'
  ).split(' '),
);
const ATTRIBUTES = new Set(
  (
    'align alt bgcolor border cellpadding cellspacing cite colspan datetime dir headers height href hreflang lang open rel ' +
    'reversed rowspan scope span src start style target title type valign width'
  ).split(' '),
);
const ADDRESSES = new Set(['cite', 'href', 'src']);
/** An address's beginning says where it leads; no reference to a character can stand there. */
const HARMLESS_ADDRESS = /^(https?:\/\/|mailto:)/i;

/** Text that a browser reads as the beginning of a tag, a comment or a declaration. `1 < 2` and `<3` are none. */
const OPENING = /<(?=[a-z/!?])/i;
const TAG = /^<\/?([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:\s*=\s*(?:"[^"<>]*"|'[^'<>]*'))?)*)\s*\/?>/i;
const ATTRIBUTE = /([a-z-]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'))?/gi;

/** @returns what is wrong with the text, as a sentence; undefined when every tag in it is harmless */
export function htmlFault(text: string): string | undefined {
  let rest = text;
  for (;;) {
    const at = rest.search(OPENING);
    if (at < 0) return undefined;
    const [whole, name = '', attributes = ''] = TAG.exec(rest.slice(at)) ?? [];
    if (whole === undefined) return 'This is not well-formed HTML: write "&lt;" for a "<" that begins no tag.';
    if (!TAGS.has(name.toLowerCase())) return `The tag <${name.toLowerCase()}> is not allowed here.`;
    const fault = attributeFault(attributes);
    if (fault !== undefined) return fault;
    rest = rest.slice(at + whole.length);
  }
}

function attributeFault(attributes: string): string | undefined {
  for (const [, given = '', quoted, singleQuoted] of attributes.matchAll(ATTRIBUTE)) {
    const name = given.toLowerCase();
    if (!ATTRIBUTES.has(name)) return `The attribute "${name}" is not allowed here.`;
    if (ADDRESSES.has(name) && !HARMLESS_ADDRESS.test(quoted ?? singleQuoted ?? '')) {
      return `"${name}" must begin with https://, http:// or mailto:.`;
    }
  }
  return undefined;
}
