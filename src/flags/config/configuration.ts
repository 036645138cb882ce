/**
 * Serves the files that web pages load first: a project's configuration (`/array/:token/config` and `config.js`), posthog-js preceded by
 * that configuration (`array.js`), and posthog-js and its modules alone (`/static/*.js`).
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { MethodNotAllowed, NotFound } from '../../platform/errors.ts';
import { answerFor, serverError } from '../../platform/http/error-body.ts';
import { preflightHeaders, send, type RawHandler } from '../../platform/http/raw-answers.ts';
import { noBody } from '../../platform/http/route.ts';
import { describeError } from '../../platform/secrets/redact.ts';
import type { Logger } from '../../platform/telemetry/logger.ts';
import type { LiveDefinitions } from '../definitions/live-definitions.ts';
import type { ProjectFlags } from '../definitions/project-flags.ts';
import { createDocument, OPEN_HEADERS, sendDocument, type Document } from './document.ts';
import { configurationOf } from './fields.ts';
import { createScripts, JAVASCRIPT, type Scripts } from './scripts.ts';

export type ConfigurationOptions = { definitions: Pick<LiveDefinitions, 'find'>; log: Logger };

export type Configuration = { handle: RawHandler };

const METHODS = ['GET', 'HEAD', 'OPTIONS'];
const PROJECT_FILE = /^\/array\/(?<token>[\w-]+)\/(?<file>config|config\.js|array\.js)\/?(?:\?|$)/;
/** The version in the path of newer SDKs is ignored, because only one version is served. */
const PACKAGE_SCRIPT = /^\/static\/(?:\d+\.\d+\.\d+\/)?(?<name>[\w.-]+)\.js(?:\?|$)/;

export function createConfiguration({ definitions, log }: ConfigurationOptions): Configuration {
  const scripts = createScripts();
  const getDocument = cacheDocuments(scripts);

  function handle(request: IncomingMessage, response: ServerResponse): boolean {
    const { url = '' } = request;
    const projectFile = PROJECT_FILE.exec(url)?.groups;
    const packageScript = PACKAGE_SCRIPT.exec(url)?.groups;
    if (projectFile) void answer(request, response, () => find(projectFile['token']!, projectFile['file']!));
    if (packageScript) void answer(request, response, () => scripts.get(packageScript['name']!));
    return projectFile !== undefined || packageScript !== undefined;
  }

  async function find(token: string, file: string): Promise<Document> {
    const project = await definitions.find(token);
    if (!project) throw new NotFound();
    return getDocument(project, file);
  }

  /** Never rejects. */
  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    find: () => Promise<Document>,
  ): Promise<void> {
    try {
      const { method = '' } = request;
      if (!METHODS.includes(method)) throw new MethodNotAllowed(method, METHODS);
      if (method !== 'OPTIONS') return sendDocument(request, response, await find());
      send(request, response, noBody(204, { ...OPEN_HEADERS, ...preflightHeaders(request) }));
    } catch (error) {
      const knownAnswer = answerFor(error);
      if (!knownAnswer) log.error({ error: describeError(error) }, 'a configuration could not be answered');
      const { headers, ...others } = knownAnswer ?? serverError;
      send(request, response, { ...others, headers: { ...headers, ...OPEN_HEADERS } });
    }
  }

  return { handle };
}

/** Caches documents by project object; a changed project is a new object. */
function cacheDocuments(scripts: Scripts): (project: ProjectFlags, file: string) => Promise<Document> {
  const documentsByProject = new WeakMap<ProjectFlags, Map<string, Promise<Document>>>();

  return (project, file) => {
    let documents = documentsByProject.get(project);
    if (!documents) documentsByProject.set(project, (documents = new Map()));
    let document = documents.get(file);
    if (!document) documents.set(file, (document = documentOf(project, file, scripts)));
    return document;
  };
}

async function documentOf(project: ProjectFlags, file: string, scripts: Scripts): Promise<Document> {
  const configuration = { token: project.token, ...configurationOf(project) };
  if (file === 'config') {
    return createDocument(JSON.stringify(configuration), { contentType: 'application/json', maxAgeSeconds: 0 });
  }
  const preamble = preambleOf(project.token, configuration);
  if (file === 'config.js') return createDocument(preamble, { contentType: JAVASCRIPT, maxAgeSeconds: 0 });
  const { bytes } = await scripts.get('array');
  return createDocument(`${preamble}\n${bytes.toString()}`, { contentType: JAVASCRIPT, maxAgeSeconds: 0 });
}

/** Script that puts the configuration where posthog-js looks for it before it makes a request. */
function preambleOf(token: string, configuration: object): string {
  const entry = scriptJson({ config: configuration, siteApps: [] });
  return `(function() {
  window._POSTHOG_REMOTE_CONFIG = window._POSTHOG_REMOTE_CONFIG || {};
  window._POSTHOG_REMOTE_CONFIG[${scriptJson(token)}] = ${entry};
})();
`;
}

/** JSON that is safe inside a script file and inside an HTML `script` element. */
function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(/[<\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
