/**
 * `/docs/api`: the OpenAPI document as an HTML page. Not Swagger UI, because that is 1.7 MB of script that compiles functions from text,
 * which a strict content security policy forbids. This page has one inline stylesheet and no scripts.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { RawHandler } from '../../platform/http/raw-answers.ts';
import { renderPage } from './page.ts';
import type { OpenApi } from './document.ts';

const PATH = /^\/docs\/api\/?$/;
const STYLES = ['../../analytics/sharing/charts/tokens.css', 'page.css']
  .map((file) => readFileSync(new URL(file, import.meta.url), 'utf8'))
  .join('');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(STYLES).digest('base64')}'`,
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  Vary: 'Accept, Accept-Encoding',
};

/** @param document the answer of `/api/schema/`; rendered on the first request, and then cached */
export function createApiPage(document: OpenApi): RawHandler {
  let rendered: Promise<{ html: Buffer; zipped: Buffer }> | undefined;

  async function render() {
    const html = Buffer.from(renderPage(document, STYLES));
    return { html, zipped: await promisify(gzip)(html) };
  }

  return (request, response) => {
    const { method, headers, url = '' } = request;
    const isReading = method === 'GET' || method === 'HEAD';
    // Programs, which do not ask for HTML, get the API's usual 404.
    if (!isReading || !PATH.test(url.split('?', 1)[0]!) || !/\btext\/html\b/.test(headers.accept ?? '')) return false;
    const takesGzip = /\bgzip\b/.test(headers['accept-encoding'] ?? '');
    rendered ??= render();
    void rendered.then(({ html, zipped }) => {
      const body = takesGzip ? zipped : html;
      response.writeHead(200, {
        ...HEADERS,
        ...(takesGzip && { 'Content-Encoding': 'gzip' }),
        'Content-Length': body.length,
      });
      response.end(method === 'HEAD' ? undefined : body);
    });
    return true;
  };
}
