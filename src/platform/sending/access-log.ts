/**
 * The combined log format of Apache and nginx, one event per request:
 *
 *     address identity user [day/month/year:hour:minute:second zone] "method path protocol" status bytes "referrer" "user agent"
 *
 * Text after the user agent is ignored, and a line may be cut off inside it (log shippers do that). A request line that is
 * not a request (`"-"`, TLS bytes on a plain port) is kept whole in the property `request`.
 */
import { BadLine, type Reading } from './reading.ts';
import { uuidV5 } from './uuid-v5.ts';

const ACCESS_LOG_EVENT = 'http_request';

const DISTINCT_ID_NAMESPACE = 'a8a1c9a0-61a5-5f0e-9c3b-2f1a4f7f0d53';

const QUOTED = String.raw`((?:[^"\\]|\\.)*)`;
const LINE = new RegExp(
  String.raw`^(\S+) \S+ (\S+) \[([^\]]+)\] "${QUOTED}" (\d{3}) (\d+|-) "${QUOTED}" "${QUOTED}(?:".*)?$`,
);
const REQUEST = /^(\S+) (\S+)(?: (\S+))?$/;
const TIME = /^(\d{2})\/([A-Z][a-z]{2})\/(\d{4}):(\d{2}):(\d{2}):(\d{2}) ([+-])(\d{2})(\d{2})$/;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** @throws BadLine when the line is not in the combined log format */
export function readAccessLogLine(line: string): Reading {
  const fields = LINE.exec(line);
  if (!fields) throw new BadLine('not in the combined log format');
  const [, address = '', user = '', time = '', request = '', status, bytes = '', referrer = '', agent = ''] = fields;
  const timeMs = logTime(time);
  const userAgent = unquote(agent);
  const event = {
    event: ACCESS_LOG_EVENT,
    distinct_id: uuidV5(DISTINCT_ID_NAMESPACE, `${address} ${userAgent}`),
    timestamp: new Date(timeMs).toISOString(),
    properties: {
      ...requestProperties(unquote(request)),
      status: Number(status),
      bytes: bytes === '-' ? 0 : Number(bytes),
      ...(isGiven(referrer) && { referrer: unquote(referrer) }),
      ...(isGiven(userAgent) && { user_agent: userAgent }),
      ...(isGiven(user) && { user }),
      $ip: address,
    },
  };
  return { timeMs, hasUuid: false, json: (uuid) => JSON.stringify({ uuid, ...event }) };
}

function requestProperties(request: string): Record<string, string> {
  const parts = REQUEST.exec(request);
  if (!parts) return { request };
  const [, method = '', path = '', protocol] = parts;
  return { method, path, ...(protocol !== undefined && { protocol }) };
}

/** `17/May/2015:10:05:03 +0200` in milliseconds since 1970. */
function logTime(text: string): number {
  const [, day, monthName = '', year, hour, minute, second, sign, zoneHours, zoneMinutes] = TIME.exec(text) ?? [];
  const month = MONTHS.indexOf(monthName);
  const minuteMs = Date.UTC(Number(year), month, Number(day), Number(hour), Number(minute));
  // Date.UTC turns 31 February into March, so the result is compared with the input.
  const rolledOver = month < 0 || new Date(minuteMs).getUTCDate() !== Number(day) || Number(hour) > 23;
  if (rolledOver || Number(minute) > 59 || Number(second) > 60) throw new BadLine(`no such time: ${text}`);
  const local = minuteMs + Number(second) * 1000;
  const zone = (Number(zoneHours) * 60 + Number(zoneMinutes)) * 60_000;
  return sign === '-' ? local + zone : local - zone;
}

const isGiven = (value: string) => value !== '' && value !== '-';

function unquote(value: string): string {
  return value.replace(/\\(["\\])/g, '$1');
}
