/** Bodies and headers that a user writes, with placeholders. */
import { InvalidInput } from '../../../platform/errors.ts';
import type { Delivery } from '../delivery.ts';

/** Values of the placeholders of a request, except for those of its rows. */
export type Values = Readonly<Record<Exclude<Placeholder, 'rows' | 'lines'>, string>>;

export const PLACEHOLDERS = [
  'rows',
  'lines',
  'token',
  'key',
  'batch_export_id',
  'run_id',
  'model',
  'data_interval_start',
  'data_interval_end',
] as const;
type Placeholder = (typeof PLACEHOLDERS)[number];

const PLACEHOLDER = /\{\{\s*(\w+)\s*\}\}/g;

export function valuesOf(
  delivery: Pick<Delivery, 'exportId' | 'runId' | 'model' | 'start' | 'end'>,
  token: string,
  key: string,
): Values {
  const { exportId, runId, model, start, end } = delivery;
  return {
    token,
    key,
    batch_export_id: exportId,
    run_id: runId,
    model,
    data_interval_start: start,
    data_interval_end: end,
  };
}

/** @param lines rows as JSON, without line ends. @returns the body; values are escaped as JSON texts are */
export function fillBody(template: string, values: Values, lines: readonly Buffer[]): Buffer {
  const pieces = template.split(PLACEHOLDER).map((piece, index) => {
    if (index % 2 === 0) return [Buffer.from(piece)];
    if (piece === 'rows') return [Buffer.from('['), ...joinLines(lines, ','), Buffer.from(']')];
    if (piece === 'lines') return lines.flatMap((line) => [line, Buffer.from('\n')]);
    return [Buffer.from(JSON.stringify(values[piece as keyof Values]).slice(1, -1))];
  });
  return Buffer.concat(pieces.flat());
}

export function* joinLines(lines: readonly Buffer[], separator: string): Generator<Buffer> {
  const separatorBytes = Buffer.from(separator);
  for (const [index, line] of lines.entries()) {
    if (index > 0) yield separatorBytes;
    yield line;
  }
}

/** @throws InvalidInput for an unknown placeholder, unless the rows stand in the template once, or if a template with `{{rows}}` is not JSON */
export function checkTemplate(template: string): void {
  const names = [...template.matchAll(PLACEHOLDER)].map(([, name]) => name!);
  const unknown = names.find((name) => !PLACEHOLDERS.some((known) => known === name));
  const list = PLACEHOLDERS.map((name) => `{{${name}}}`).join(', ');
  if (unknown !== undefined) throw invalid(`Unknown placeholder: {{${unknown}}}. Use one of: ${list}.`);
  const rows = names.filter((name) => name === 'rows' || name === 'lines');
  if (rows.length !== 1) throw invalid('The template must contain either {{rows}} or {{lines}}, once.');
  if (rows[0] === 'lines') return;
  const sample = valuesOf({ exportId: '', runId: '', model: '', start: '', end: '' }, '', '');
  try {
    // A row has quotation marks, with which a list inside a text would end that text.
    JSON.parse(fillBody(template, sample, [Buffer.from('{"event":""}')]).toString());
  } catch {
    throw invalid('The template must become JSON when {{rows}} is a list.');
  }
}

function invalid(message: string): InvalidInput {
  return new InvalidInput(message, 'body_template');
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t\x20-\x7e]*)$/;
const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
/** Headers that Sluice or the connection itself sets. */
const RESERVED =
  /^(connection|content-encoding|content-length|cookie|expect|host|idempotency-key|keep-alive|te|trailer|transfer-encoding|upgrade|user-agent|sluice-.*|proxy-.*|webhook-.*)$/;
/** Headers whose value is a secret, which must not be in a field that readers of the export see. */
const SECRET = /^(authorization|x-api-key|api-key)$/;

/**
 * @param headers `Name: value` each, with no placeholder but `{{token}}`
 * @returns the headers by their names in lower case
 * @throws InvalidInput
 */
export function headersOf(headers: readonly string[], token: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const header of headers) {
    const [, given, value = ''] = HEADER.exec(header) ?? [];
    if (given === undefined) throw new InvalidInput('Each header must be written as "Name: value".', 'headers');
    const name = given.toLowerCase();
    if (RESERVED.test(name)) throw new InvalidInput(`The header '${name}' cannot be chosen.`, 'headers');
    if (Object.hasOwn(found, name)) throw new InvalidInput(`The header '${name}' is there twice.`, 'headers');
    const names = [...value.matchAll(PLACEHOLDER)].map(([, placeholder]) => placeholder!);
    const other = names.find((placeholder) => placeholder !== 'token');
    if (other !== undefined)
      throw new InvalidInput(`{{${other}}} cannot be used in a header: the only placeholder is {{token}}.`, 'headers');
    if (SECRET.test(name) && names.length === 0)
      throw new InvalidInput(`Enter the secret of '${name}' as token, and {{token}} in its place here.`, 'headers');
    if (names.length > 0 && !HEADER_VALUE.test(token))
      throw new InvalidInput('Must be printable ASCII without line breaks, because it is sent in a header.', 'token');
    found[name] = value.trim().replaceAll(PLACEHOLDER, () => token);
  }
  return found;
}
