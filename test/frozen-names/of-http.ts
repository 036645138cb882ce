/** Names that clients send and read: addresses, fields, words among which a field chooses, codes of errors, scopes. */
import ts from 'typescript';
import { apiRoutes, rawRoutes } from '../../src/app/api.ts';
import { capturePathOf } from '../../src/events/capture/paths.ts';
import { decidePathOf } from '../../src/flags/decide/paths.ts';
import { ofrepPathOf } from '../../src/flags/ofrep/paths.ts';
import { pathsOf } from '../../src/platform/http/paths.ts';
import type { DescribedRoute } from '../../src/platform/http/route.ts';
import { ALL_SCOPES, SCOPES } from '../../src/people/access/scopes.ts';
import { KEY_PREFIXES } from '../../src/people/keys/keys.ts';
import { createSessions } from '../../src/people/accounts/sessions.ts';
import { cookieOf } from '../../src/analytics/sharing/visit.ts';
import { createMetrics, metricsListener } from '../../src/platform/telemetry/metrics.ts';
import { codecEndpoint } from '../../src/platform/temporal/codec-endpoint.ts';
import { startHttpServer } from '../../src/platform/http/server.ts';
import { FAULT_CODES } from '../../src/exports/faults/known-faults.ts';
import type { Kind } from './kind.ts';
import { namesInDocument } from './openapi-names.ts';
import { callsOf, literalsOf, subclassesOf, type Product } from './product.ts';

const CLIENTS = 'the code of clients: SDKs, scripts and pages that we do not deploy';

const ROUTES: readonly DescribedRoute[] = [...rawRoutes, ...apiRoutes];

export const HTTP_KINDS: readonly Kind[] = [
  {
    name: 'http/addresses',
    writtenTo: CLIENTS,
    least: 300,
    present: async () => [...ROUTES.flatMap(addressesOf), ...(await addressesBeside())],
  },
  {
    name: 'http/operations',
    writtenTo: `${CLIENTS}; generated ones name their functions and types so`,
    least: 200,
    present: () => namesInDocument(ROUTES).operations,
  },
  {
    name: 'http/fields',
    writtenTo: CLIENTS,
    least: 1_000,
    present: () => namesInDocument(ROUTES).fields,
  },
  {
    name: 'http/error-codes',
    writtenTo: `${CLIENTS}, which tell failures apart by them; those of ingestion warnings are stored, too`,
    least: 40,
    present: ({ product }) => errorCodes(product()),
  },
  {
    name: 'http/scopes',
    writtenTo: 'the rows of API keys, and in what people and programs ask for',
    least: 30,
    present: () => [...SCOPES, ALL_SCOPES, ...Object.values(KEY_PREFIXES).map((prefix) => `prefix ${prefix}_`)],
  },
  {
    name: 'http/headers-and-cookies',
    writtenTo: `browsers, and in ${CLIENTS}`,
    least: 6,
    present: async ({ product }) => [...(await cookies()), ...ownHeaders(product())],
  },
  {
    name: 'http/schema-members',
    writtenTo: 'JSON that clients sent and that is stored as it came: filters, queries, configurations',
    least: 500,
    present: ({ product }) => schemaMembers(product()),
  },
];

/** With the other spellings that lanes take; those of routes, without the slash, are the router's. */
function addressesOf(route: DescribedRoute): string[] {
  const method = route.method.toUpperCase();
  return pathsOf(route).flatMap((path) => {
    const bare = path.replace(/(?<=.)\/$/, '');
    return (capturePathOf(bare) ?? decidePathOf(bare) ?? ofrepPathOf(bare))
      ? [`${method} ${path}`, `${method} ${bare}`]
      : [`${method} ${path}`];
  });
}

/** Of what no route describes: asked for, and listed where there is an answer. */
async function addressesBeside(): Promise<string[]> {
  const token = 'token-of-the-codec';
  const codec = codecEndpoint({ codec: { encode: async () => [], decode: async () => [] }, token, origin: '' });
  const metrics = metricsListener(createMetrics());
  const server = await startHttpServer(
    { listener: async (request, response) => void (codec(request, response) || (await metrics(request, response))) },
    { host: '127.0.0.1', port: 0 },
  );
  try {
    const addresses = ['GET /metrics', 'POST /_codec/<token>/encode', 'POST /_codec/<token>/decode'];
    const answers = addresses.map(async (address) => {
      const [method, path = ''] = address.split(' ');
      const body = method === 'POST' ? '{"payloads":[]}' : null;
      const { ok } = await fetch(server.url + path.replace('<token>', token), { method: method!, body });
      return ok ? [address] : [];
    });
    return (await Promise.all(answers)).flat();
  } finally {
    await server.stop(0);
  }
}

/** Literal values of members, parameters and arguments that are called `code`, other than those of SQL and Node. */
function errorCodes(product: Product): string[] {
  const { checker } = product;
  const codes = new Set<string>();
  const add = (node: ts.Node | undefined) => {
    if (!node) return;
    for (const code of literalsOf(checker.getTypeAtLocation(node))) codes.add(code);
    if (ts.isTemplateExpression(node))
      codes.add(`${node.head.text}${node.templateSpans.map(({ literal }) => `…${literal.text}`).join('')}`);
  };
  const sources = product.files('src');
  const takers = new Set<string>();
  for (const node of product.nodes(sources)) {
    const isNamed = (ts.isPropertyAssignment(node) || ts.isParameter(node)) && node.name.getText() === 'code';
    if (isNamed) add(node.initializer);
    if (isNamed && ts.isParameter(node)) takers.add(nameOfFunction(node.parent));
  }
  for (const name of subclassesOf(product, takers)) takers.add(name);
  for (const call of callsOf(product, [...takers], sources)) {
    const at = checker.getResolvedSignature(call)?.parameters.findIndex(({ name }) => name === 'code') ?? -1;
    if (at >= 0) add(call.arguments?.[at]);
  }
  return [...codes, ...FAULT_CODES].filter((code) => /^[a-z][a-z_…]+$/.test(code));
}

/** By which a function or a constructor is called; '' for one without a name. */
function nameOfFunction(of: ts.SignatureDeclaration): string {
  const named = ts.isConstructorDeclaration(of) || (ts.isArrowFunction(of) && !of.name) ? of.parent : of;
  return (named as ts.NamedDeclaration).name?.getText() ?? '';
}

/** As a browser gets them, from parts that need no database for it. */
async function cookies(): Promise<string[]> {
  const sessions = createSessions({ publicUrl: 'https://sluice.example', sessions: {} as never });
  const sessionCookies = await sessions.begin({ begin: async () => {} } as never, 1, { headers: {}, address: '' });
  const shared = cookieOf('token', { path: '/shared/token', token: 'token', type: 'scene', asksForJson: false }, true);
  return [...sessionCookies, shared].map((cookie) => `cookie ${cookie.split('=')[0]}`);
}

/** Header names of ours, or of other protocols' with no standard behind them: `X-…` and `webhook-…`. */
function ownHeaders(product: Product): string[] {
  const found: string[] = [];
  for (const node of product.nodes()) {
    if (!ts.isStringLiteral(node) || !/^(x|webhook)-[a-z]+(-[a-z]+)*$/i.test(node.text)) continue;
    // As a member, or in a list of names and values.
    if (ts.isPropertyAssignment(node.parent) && node.parent.name !== node && node.parent.name.getText() !== 'name')
      continue;
    if (ts.isVariableDeclaration(node.parent)) continue;
    found.push(`header ${node.text.toLowerCase()}`);
  }
  return found;
}

const SCHEMA = /^(?:Type\.\w+|nullable|stringEnum|withDefault|secret|orEnvelope|shownWhen)\(/;

/** Members of objects whose values are schemas, and the words of enumerations, wherever a schema is made. */
function schemaMembers(product: Product): string[] {
  const found: string[] = [];
  for (const node of product.nodes(product.files('src'))) {
    if (ts.isPropertyAssignment(node) && SCHEMA.test(node.initializer.getText())) {
      if (!ts.isComputedPropertyName(node.name)) found.push(node.name.getText().replace(/^'|'$/g, ''));
    }
    if (!ts.isCallExpression(node)) continue;
    const callee = node.expression.getText();
    const [argument] = node.arguments;
    if (!argument) continue;
    if (callee === 'Type.Literal') found.push(...literalsOf(product.checker.getTypeAtLocation(argument)).map(asWord));
    if (callee === 'stringEnum') found.push(...wordsOf(product, argument).map(asWord));
  }
  return found;
}

const asWord = (word: string) => `= ${word}`;

/** @returns the words of an array, written out or named */
function wordsOf({ checker }: Product, argument: ts.Expression): string[] {
  if (ts.isArrayLiteralExpression(argument)) {
    return argument.elements.flatMap((one) => literalsOf(checker.getTypeAtLocation(one)));
  }
  const type = checker.getTypeAtLocation(argument);
  const items = checker.isArrayLikeType(type) ? checker.getTypeArguments(type as ts.TypeReference) : [];
  return items.flatMap(literalsOf);
}
