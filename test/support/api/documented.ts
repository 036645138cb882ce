/** Compares each answer that a test receives with the OpenAPI document's description of its route. */
import assert from 'node:assert/strict';
import { ErrorBody } from '../../../src/platform/http/error-body.ts';
import { pathsOf } from '../../../src/platform/http/paths.ts';
import type { Route } from '../../../src/platform/http/route.ts';
import { compile, type TSchema, type Validator } from '../../../src/platform/schema.ts';
import type { ApiAnswer } from './api.ts';

/** @returns a check that fails when an answer differs from its route's documentation */
export function answerCheck<C>(routes: readonly Route<C>[]) {
  const documented = routes.flatMap((route) =>
    pathsOf(route).map((path) => ({ ...route, pattern: new RegExp(`^${path.replace(/:\w+/g, '[^/]+')}$`) })),
  );
  const validators = new Map<TSchema, Validator<TSchema>>();

  function checkBody(schema: TSchema, body: unknown): void {
    let valid = validators.get(schema);
    if (!valid) validators.set(schema, (valid = compile(schema)));
    assert.ok(valid(body), `${JSON.stringify(valid.errors)} in ${JSON.stringify(body)}`);
  }

  return (method: string, address: string, { status, body }: ApiAnswer): void => {
    const [path = ''] = address.split('?');
    const route = documented.find((one) => one.method === method.toLowerCase() && one.pattern.test(path));
    const schema = route?.answers[status];
    if (status >= 400) return checkBody(schema ?? ErrorBody, body);
    assert.notEqual(schema, undefined, `${method} ${path} answers ${status}, which is not documented`);
    if (schema && body !== '') checkBody(schema, body);
  };
}
