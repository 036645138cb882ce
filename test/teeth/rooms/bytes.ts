/** What keeps bytes of strangers from holding the process up. */
import type { Tooth } from '../tooth.ts';

export const BYTE_TEETH: readonly Tooth[] = [
  {
    name: 'body-limit',
    guards: 'a body of one piece is no larger than allowed',
    tests: ['test/wire/read-bytes.test.ts'],
  },
  {
    name: 'body-chunks-limit',
    guards: 'a body without a length is no larger than allowed',
    tests: ['test/wire/read-bytes.test.ts'],
  },
  {
    name: 'body-inflated-limit',
    guards: 'a body does not inflate to more than allowed',
    tests: ['test/capture/bodies.test.ts'],
    grep: 'is refused as soon as it inflates',
    replace: ['{ maxOutputLength: limit }', '{}'],
  },
  {
    name: 'shared-room',
    guards: 'one sender does not fill the memory of all',
    tests: ['test/wire/memory.test.ts'],
  },
  {
    name: 'forwarded-address',
    guards: 'who is no proxy of ours does not choose their address',
    tests: ['test/wire/client-address.test.ts'],
    replace: ['isTrusted(address)', 'true'],
  },
  {
    name: 'json-depth',
    guards: 'JSON nests only so deep',
    tests: ['test/http/body.test.ts'],
  },
  {
    name: 'json-null',
    guards: 'no text holds what Postgres cannot store',
    tests: ['test/http/body.test.ts'],
  },
  {
    name: 'json-size',
    guards: 'a JSON body is no larger than a mebibyte',
    tests: ['test/http/body.test.ts'],
    replace: ['limit: MAX_BYTES', 'limit: null'],
  },
  {
    name: 'stored-values',
    guards: 'what is stored as it is given is small',
    tests: ['test/http/value-limit.test.ts'],
  },
  {
    name: 'cross-origin',
    guards: 'pages of other sites read public routes only',
    tests: ['test/http/app.test.ts'],
    grep: 'lets web pages call public routes only',
    replace: ["openToPages.match(ctx.path, 'GET').route ?", 'true ?'],
  },
  {
    name: 'capture-events',
    guards: 'a request holds only so many events',
    tests: ['test/capture/bodies.test.ts', 'test/capture/events.test.ts'],
    grep: 'events',
  },
  {
    name: 'capture-one-key',
    guards: 'events of one request are of one project',
    tests: ['test/capture/keys.test.ts'],
    grep: 'that name no project are refused',
  },
  {
    name: 'capture-event-size',
    guards: 'an event is no larger than allowed',
    tests: ['test/capture/events.test.ts'],
  },
  {
    name: 'head-plain',
    guards: 'a head that two readers could understand in two ways is not read by the lane',
    tests: ['test/lane/head.test.ts'],
    replace: ['NOT_PLAIN.every((name) => headers[name] === undefined)', 'true'],
  },
  {
    name: 'head-twice',
    guards: 'a header that is there twice is not read by the lane',
    tests: ['test/lane/head.test.ts'],
  },
  {
    name: 'head-size',
    guards: 'a head is no larger than allowed',
    tests: ['test/lane/head.test.ts'],
    replace: [' || end > MAX_HEAD_BYTES', ''],
  },
  {
    name: 'version-length',
    guards: 'digits of a version do not hold the process up',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'no numbers, dates and versions any more',
  },
  {
    name: 'number-length',
    guards: 'digits of a number do not hold the process up',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'no numbers, dates and versions any more',
    replace: ['value.length > LONGEST_NUMBER || ', ''],
  },
  {
    name: 'instant-length',
    guards: 'digits of a date do not hold the process up',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'no numbers, dates and versions any more',
  },
  {
    name: 'pattern-length',
    guards: 'a pattern is no longer than allowed',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'ten thousand characters',
  },
  {
    name: 'sql-number-length',
    guards: 'Postgres reads no longer texts as numbers than operators do',
    tests: ['test/query/filters.test.ts'],
    grep: 'no longer ones, as operators do: gt',
    replace: ['capped(found, LONGEST_NUMBER, `property_number(${found})`)', '`property_number(${found})`'],
  },
  {
    name: 'feature-payload',
    guards: 'what every page gets is only so long',
    tests: ['test/flags/early-access.test.ts'],
    grep: 'payload that is only so long',
  },
  {
    name: 'pattern-room',
    guards: 'classes of patterns are only so large',
    tests: ['test/flags/evaluation/large-classes.test.ts'],
    grep: 'refused where there are too many',
  },
  {
    name: 'expression-size',
    guards: 'what a custom query becomes is only so long',
    tests: ['test/query/custom/refusals.test.ts'],
    grep: 'CASEs',
  },
  {
    name: 'expressions-room',
    guards: 'expressions of filters are together only so long',
    tests: ['test/query/filters.test.ts'],
    grep: 'characters of expressions together',
  },
  {
    name: 'pattern-nesting',
    guards: 'classes of a pattern nest only so deep',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'patterns that nest',
  },
  {
    name: 'request-steps',
    guards: 'one request does only so much work on flags',
    tests: ['test/flags/evaluation/steps.test.ts'],
    grep: 'steps of a request|when they are spent|are counted for',
  },
];
