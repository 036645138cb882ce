/**
 * The raw handler of the console's page and files. One page serves all paths of the console. It is sent only to clients that ask for HTML,
 * so programs get the API's error for an unknown path.
 */
import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RawHandler } from '../../platform/http/raw-answers.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { ConsoleFile, ConsoleFiles } from './console-files.ts';

/** Paths of pages; `/flags`, `/e`, `/static` and others are for SDKs. */
const PAGE =
  /^\/(?:login\/?|reset(?:\/[\w-]{0,64})?\/?|signup\/[\w-]{1,64}\/?|project\/\d{1,10}(?:\/.*)?|settings(?:\/.*)?)?$/;
const FILE = /^\/(?:assets\/[\w.-]+|icon\.svg)$/;
const YEAR_SECONDS = 31_536_000;

const NOT_BUILT = `<!doctype html><html lang="en"><title>Sluice</title>
<p>The console is not built. Build it with <code>npm run console:build</code> and load this page again.
The API works without it: see <a href="/docs/api">/docs/api</a>.</p>`;

export type ConsolePagesOptions = { files: () => Promise<ConsoleFiles | undefined>; log: Logger };

export function createConsolePages({ files, log }: ConsolePagesOptions): RawHandler {
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0]!;
    const isFile = FILE.test(path);
    if (!isReading(request) || !(isFile || (PAGE.test(path) && asksForHtml(request)))) return false;
    const answer = isFile ? sendFile(files, path, request, response) : sendPage(files, request, response);
    answer.catch((error: unknown) => {
      log.error({ error: describeError(error) }, 'the console could not be read');
      if (!response.headersSent) response.writeHead(500);
      response.end();
    });
    return true;
  };
}

const isReading = ({ method }: IncomingMessage) => method === 'GET' || method === 'HEAD';

/** Whether the client asks for HTML, as browsers do; programs accept anything (`*`/`*`), or JSON. */
const asksForHtml = ({ headers }: IncomingMessage) => /\btext\/html\b/.test(headers.accept ?? '');

async function sendPage(
  files: ConsolePagesOptions['files'],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const consoleFiles = await files();
  const nonce = randomBytes(16).toString('base64url');
  const page = Buffer.from(consoleFiles ? consoleFiles.page.join(nonce) : NOT_BUILT);
  response.writeHead(consoleFiles ? 200 : 503, {
    ...PAGE_HEADERS,
    'Content-Security-Policy': policyOf(nonce),
    'Content-Length': page.length,
  });
  response.end(request.method === 'HEAD' ? undefined : page);
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'X-Robots-Tag': 'noindex, nofollow',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Permissions-Policy': 'camera=(), geolocation=(), microphone=(), payment=()',
} as const;

/** Content security policy, without `upgrade-insecure-requests` because the public URL may be http. */
function policyOf(nonce: string): string {
  // tooth: console-policy
  return [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

async function sendFile(
  files: ConsolePagesOptions['files'],
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const file = (await files())?.files.get(path);
  if (!file) {
    response.writeHead(404, { 'Content-Type': 'text/plain', 'Cache-Control': 'no-store' }).end('Not found.\n');
    return;
  }
  const { bytes, encoding } = chooseEncoding(file, request.headers['accept-encoding'] ?? '');
  response.writeHead(200, {
    'Content-Type': file.type,
    'Content-Length': bytes.length,
    ...(encoding !== undefined && { 'Content-Encoding': encoding }),
    Vary: 'Accept-Encoding',
    // Names of assets contain a digest of their content.
    'Cache-Control': path.startsWith('/assets/') ? `public, max-age=${YEAR_SECONDS}, immutable` : 'no-cache',
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(request.method === 'HEAD' ? undefined : bytes);
}

function chooseEncoding(
  { bytes, brotli, gzip }: ConsoleFile,
  acceptEncoding: string,
): { bytes: Buffer; encoding?: string } {
  if (brotli && /\bbr\b/.test(acceptEncoding)) return { bytes: brotli, encoding: 'br' };
  if (gzip && /\bgzip\b/.test(acceptEncoding)) return { bytes: gzip, encoding: 'gzip' };
  return { bytes };
}
