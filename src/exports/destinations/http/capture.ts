/** Rows as events of the capture API, by which one installation feeds another. */

/** Columns of an export that the format needs; `elements_chain` is sent if it is there. */
export const CAPTURE_COLUMNS = ['uuid', 'event', 'distinct_id', 'properties', 'timestamp'] as const;

const AUTOCAPTURE = '"$autocapture"';
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/**
 * Copies values as texts, so numbers keep digits that JavaScript would lose.
 * @param line a row as our encoder writes JSON lines: no spaces outside of values
 */
export function captureEvent(line: Buffer): Buffer {
  // One character for each byte, which becomes the same byte again.
  const fields = jsonFieldsOf(line.toString('latin1'));
  const {
    uuid,
    event,
    distinct_id,
    timestamp,
    properties = '{}',
    elements_chain: chain = '""',
  } = Object.fromEntries(fields);
  // Without this property, the receiver would take the worker's address for the person's.
  const added = ['"$geoip_disable":true'];
  if (event === AUTOCAPTURE && chain !== '""' && chain !== 'null') added.push(`"$elements_chain":${chain}`);
  const own = properties === 'null' ? '' : properties.trim().slice(1, -1).trim();
  // Of two properties with the same name the last one counts, so the added ones win.
  const whole = [...(own === '' ? [] : [own]), ...added].join(',');
  return Buffer.from(
    `{"uuid":${uuid},"event":${event},"distinct_id":${distinct_id},"timestamp":${timestamp},"properties":{${whole}}}`,
    'latin1',
  );
}

/** Splits the text of a JSON object, as in `captureEvent`, into the texts of its values, by name. @throws Error when it is no JSON object */
export function jsonFieldsOf(text: string): Map<string, string> {
  const fields = new Map<string, string>();
  for (let at = 1; text.charCodeAt(at) === QUOTE; at++) {
    const colon = endOfString(text, at);
    const end = endOfValue(text, colon + 1);
    fields.set(JSON.parse(text.slice(at, colon)) as string, text.slice(colon + 1, end));
    at = end;
  }
  return fields;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (depth === 0 && (text[at] === ',' || code === CLOSE_BRACE)) return at;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
  }
  throw new Error('a row is not a JSON object');
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at + 1;
  }
  throw new Error('a row is not a JSON object');
}
