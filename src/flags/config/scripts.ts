/** posthog-js for web pages: `array.js` and the modules that it loads on demand, served unchanged from the npm package. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { NotFound } from '../../platform/errors.ts';
import { createDocument, type Document } from './document.ts';

const FOLDER = path.dirname(fileURLToPath(import.meta.resolve('posthog-js')));

/** The scripts among the files of the package; the others are modules for bundlers. */
const NAMES: ReadonlySet<string> = new Set([
  'all-external-dependencies',
  'array',
  'array.full',
  'array.full.es5',
  'array.full.no-external',
  'array.no-external',
  'conversations',
  'crisp-chat-integration',
  'customizations.full',
  'dead-clicks-autocapture',
  'element-inference',
  'exception-autocapture',
  'external-scripts-loader',
  'intercom-integration',
  'lazy-recorder',
  'logs',
  'posthog-recorder',
  'product-tours',
  'product-tours-preview',
  'recorder',
  'recorder-v2',
  'surveys',
  'surveys-preview',
  'tracing-headers',
  'web-vitals',
  'web-vitals-soft-navs',
  'web-vitals-with-attribution',
  'web-vitals-with-attribution-soft-navs',
]);

export const JAVASCRIPT = 'text/javascript; charset=utf-8';
const MAX_AGE_SECONDS = 3_600;

export type Scripts = {
  /** @param name without `.js` @throws NotFound for an unknown name */
  get(name: string): Promise<Document>;
};

/** Keeps each script in memory after its first request. */
export function createScripts(): Scripts {
  const scripts = new Map<string, Promise<Document>>();

  return {
    async get(name) {
      if (!NAMES.has(name)) throw new NotFound();
      const cached = scripts.get(name);
      if (cached) return cached;
      const script = read(name);
      scripts.set(name, script);
      script.catch(() => scripts.delete(name));
      return script;
    },
  };
}

async function read(name: string): Promise<Document> {
  const bytes = await readFile(path.join(FOLDER, `${name}.js`));
  return createDocument(bytes, { contentType: JAVASCRIPT, maxAgeSeconds: MAX_AGE_SECONDS });
}
