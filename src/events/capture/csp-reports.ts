/**
 * Browsers' reports of violations of a page's Content-Security-Policy, as events. `report-uri` brings one at a time; the Reporting API
 * (`report-to`) brings several, with reports of other kinds between them.
 */
import { createHash } from 'node:crypto';
import { InvalidInput, TooLarge } from '../../platform/errors.ts';
import { isObject, usableToken, type Envelope, type RawObject, type RequestContext } from './envelope.ts';
import { LIMITS } from './limits.ts';
import { answerNothing } from './respond.ts';
import { uuidV7 } from './uuid.ts';

const VIOLATION = 'csp-violation';
const LONGEST_TEXT = 500;

/** Each property without its prefix `$csp_`, its name in the Reporting API, and its name in `report-uri`. */
const FIELDS = [
  ['document_url', 'documentURL', 'document-uri'],
  ['referrer', 'referrer', 'referrer'],
  ['violated_directive', 'effectiveDirective', 'violated-directive'],
  ['effective_directive', 'effectiveDirective', 'effective-directive'],
  ['original_policy', 'originalPolicy', 'original-policy'],
  ['disposition', 'disposition', 'disposition'],
  ['blocked_url', 'blockedURL', 'blocked-uri'],
  ['line_number', 'lineNumber', 'line-number'],
  ['column_number', 'columnNumber', 'column-number'],
  ['source_file', 'sourceFile', 'source-file'],
  ['status_code', 'statusCode', 'status-code'],
  ['script_sample', 'sample', 'script-sample'],
] as const;

/**
 * The query holds the project's key (`token`), the person and the session (`distinct_id`, `session_id`; made up if
 * absent), the version of the policy (`v`), and the share of reports to keep (`sample_rate`).
 * @throws InvalidInput for a body that is not a report
 * @throws TooLarge for too many reports
 * @throws NotAuthenticated without a token
 */
export function parseCspReports(body: unknown, { query, headers }: RequestContext): Envelope {
  const violations = violationsIn(body);
  // tooth: csp-reports
  if (violations.length > LIMITS.reportsPerRequest) {
    throw new TooLarge(`A request may hold ${LIMITS.reportsPerRequest} reports; this one holds ${violations.length}.`);
  }
  const rate = rateOf(query('sample_rate'));
  const sampled = rate < 1 ? violations.filter(({ document_url: url }) => isInSample(url, rate)) : violations;
  const distinctId = query('distinct_id') ?? uuidV7();
  // Texts are cut, because each event gets a copy of them.
  const sharedProperties = {
    $session_id: query('session_id')?.slice(0, LONGEST_TEXT) ?? uuidV7(),
    $csp_version: query('v')?.slice(0, LONGEST_TEXT) ?? 'unknown',
    $process_person_profile: false,
    $raw_user_agent: headers['user-agent']?.slice(0, LONGEST_TEXT) ?? null,
  };
  return {
    token: usableToken(query('token') ?? query('api_key')),
    events: sampled.map((violation) => ({
      event: '$csp_violation',
      distinct_id: distinctId,
      properties: { ...sharedProperties, $current_url: violation.document_url, ...prefixNames(violation) },
    })),
    historical: false,
    sentAt: undefined,
    answer: answerNothing,
  };
}

type Violation = RawObject & { document_url: unknown };

/** Recognizes the form of a report by its properties, because content types are unreliable. */
function violationsIn(body: unknown): Violation[] {
  if (Array.isArray(body)) return body.filter(isViolation).map(readViolation);
  if (isViolation(body)) return [readViolation(body)];
  const report = isObject(body) ? body['csp-report'] : undefined;
  if (!isObject(report)) {
    throw new InvalidInput('The body is not a violation report.', null, 'invalid_csp_payload');
  }
  return [{ report_type: VIOLATION, ...fieldsOf(report), raw_report: body }];
}

function isViolation(report: unknown): report is RawObject {
  return isObject(report) && report['type'] === VIOLATION;
}

function readViolation(raw: RawObject): Violation {
  const fields = fieldsOf(isObject(raw['body']) ? raw['body'] : {});
  return {
    report_type: VIOLATION,
    ...fields,
    document_url: fields.document_url ?? raw['url'] ?? null,
    user_agent: raw['user_agent'] ?? null,
    raw_report: raw,
  };
}

/** Some browsers use the names of `report-uri` for the Reporting API, too. */
function fieldsOf(report: RawObject): Violation {
  const fields: Record<string, unknown> = {};
  for (const [property, ...names] of FIELDS) {
    const name = names.find((candidate) => report[candidate] !== undefined);
    fields[property] = name === undefined ? null : report[name];
  }
  return fields as Violation;
}

function prefixNames(violation: Violation): RawObject {
  return Object.fromEntries(Object.entries(violation).map(([name, value]) => [`$csp_${name}`, value]));
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** @returns 1, which keeps all, for text that is not a decimal number: upstream does so, and browsers would not show an error */
function rateOf(text = ''): number {
  const decimal = text.trim();
  return DECIMAL.test(decimal) ? Number(decimal) : 1;
}

/** Keeps all reports of a document in one minute, or none of them. */
function isInSample(documentUrl: unknown, rate: number): boolean {
  const minute = new Date().toISOString().slice(0, 16);
  const hash = createHash('sha1')
    .update(`${JSON.stringify(documentUrl)} ${minute}`)
    .digest();
  return hash.readUInt32BE() / 2 ** 32 < rate;
}
