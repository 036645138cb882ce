/** Parses the body of a request into the evaluation context and the requested flags. */
import type { IncomingHttpHeaders } from 'node:http';
import { isSentinel } from '../../events/cookieless/ids.ts';
import { InvalidInput, MalformedRequest, NotAuthenticated } from '../../platform/errors.ts';
import { cut } from '../../platform/wire/cut.ts';
import type { Fields } from '../../platform/wire/fields.ts';
import type { Locate } from '../../platform/wire/geoip.ts';
import { isDeeperThan, readJson } from '../../platform/wire/json.ts';
import type { EvaluationRequest } from '../evaluation/decision.ts';
import {
  isList,
  JsonFloat,
  parseBoundedJson,
  type Json,
  type Properties,
} from '../../conditions/operators/json-values.ts';
import { LIMITS } from './limits.ts';
import { isTrue } from './paths.ts';
import { geoPropertiesOf } from './geo-properties.ts';
import { runtimeOf } from './runtime.ts';

/** The fields of a body; SDKs use several names for some of them. */
export type Body = Readonly<Record<string, Json>>;

/**
 * @param bytes JSON, as `readBody` finds it
 * @throws MalformedRequest naming the fault
 */
export function decideBodyOf(bytes: Buffer): Body {
  const value = readJson(bytes, { read: parseBoundedJson, maxValues: LIMITS.values });
  if (!isObject(value)) throw new MalformedRequest('The body must be a JSON object.');
  // Each level takes two brackets.
  if (bytes.length > 2 * LIMITS.depth && isDeeperThan(value, LIMITS.depth)) {
    throw new MalformedRequest(`The body is nested deeper than ${LIMITS.depth} levels.`, 'nested_too_deeply');
  }
  return value;
}

/** @throws NotAuthenticated without the key of a project */
export function tokenOf(body: Body): string {
  const token = body['token'] ?? body['$token'] ?? body['api_key'];
  if (typeof token === 'string' && token.trim() !== '') return token.trim();
  throw new NotAuthenticated('No API token provided. Please include a valid API token in your request.');
}

/** @throws InvalidInput without a distinct id, and for groups or properties that are not maps */
export function evaluationRequestOf(
  body: Body,
  queryField: Fields,
  { headers, locate }: { headers: IncomingHttpHeaders; locate: Locate | undefined },
): EvaluationRequest {
  const personProperties = mapOf(body['person_properties'] ?? body['$properties'], 'person_properties');
  const withLocation = body['geoip_disable'] !== true && body['disable_geoip'] !== true;
  return {
    distinctId: distinctIdOf(body['distinct_id'] ?? body['$distinct_id']),
    // Some SDKs send this id in the body, others in the properties of the person.
    anonDistinctId: withoutSentinel(
      idOf(body['$anon_distinct_id'] ?? body['anon_distinct_id']) ?? idOf(personProperties['$anon_distinct_id']),
    ),
    deviceId: withoutSentinel(idOf(body['$device_id'] ?? body['device_id'] ?? personProperties['$device_id'])),
    groups: groupsOf(body['groups'] ?? body['$groups']),
    personProperties,
    groupProperties: groupPropertiesOf(body['group_properties'] ?? body['$group_properties']),
    geoProperties: withLocation ? geoPropertiesOf(headers, locate) : undefined,
    runtime: runtimeOf(body['evaluation_runtime'], headers),
    contexts: textsOf(body['evaluation_contexts'] ?? body['evaluation_environments']) ?? [],
    flagKeys: keysOf(body['flag_keys'] ?? body['flag_keys_to_evaluate']),
    onlySurveys: isTrue(queryField('only_evaluate_survey_feature_flags')),
    onlyRequestProperties: isTrue(queryField('only_use_override_person_properties')),
  };
}

function isObject(value: Json | undefined): value is Properties {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof JsonFloat);
}

const NO_FIELDS: Properties = Object.freeze({});

/** @throws InvalidInput naming the field: ignoring a malformed map would decide flags for a different context */
function mapOf(value: Json | undefined, attr: string): Properties {
  if (isObject(value)) return value;
  // PHP writes an empty map as a list.
  if (value === undefined || value === null || (isList(value) && value.length === 0)) return NO_FIELDS;
  // tooth: flag-request-maps
  throw new InvalidInput('This must be an object.', attr);
}

/** Truncates the id. An empty id is valid. */
function distinctIdOf(value: Json | undefined): string {
  const id = textOfId(value);
  if (id === undefined) {
    throw new InvalidInput(
      'The distinct_id field is missing from the request. Please include a valid identifier.',
      'distinct_id',
      'missing_distinct_id',
    );
  }
  return cut(id, LIMITS.distinctIdLength);
}

/** Returns undefined for the id that stands for all visitors without cookies, because it belongs to no person. */
function withoutSentinel(id: string | undefined): string | undefined {
  return isSentinel(id) ? undefined : id;
}

function idOf(value: Json | undefined): string | undefined {
  const id = textOfId(value);
  return id === undefined || id === '' ? undefined : cut(id, LIMITS.distinctIdLength);
}

/** Converts numbers to text as capture does. */
function textOfId(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  return value instanceof JsonFloat ? String(value.value) : undefined;
}

const NO_GROUPS: EvaluationRequest['groups'] = Object.freeze({});

function groupsOf(value: Json | undefined): EvaluationRequest['groups'] {
  const given = mapOf(value, 'groups');
  if (given === NO_FIELDS) return NO_GROUPS;
  const groups = Object.create(null) as Record<string, string>;
  for (const [type, key] of Object.entries(given)) {
    const text = textOfId(key);
    if (text !== undefined) groups[type] = text;
  }
  return groups;
}

/** Limit of a group type's characters in an error's `attr`. */
const MAX_TYPE_IN_ATTR = 100;
const NO_GROUP_PROPERTIES: EvaluationRequest['groupProperties'] = Object.freeze({});

function groupPropertiesOf(value: Json | undefined): EvaluationRequest['groupProperties'] {
  const given = mapOf(value, 'group_properties');
  if (given === NO_FIELDS) return NO_GROUP_PROPERTIES;
  const byType = Object.create(null) as Record<string, Properties>;
  for (const [type, properties] of Object.entries(given)) {
    byType[type] = mapOf(properties, `group_properties__${type.slice(0, MAX_TYPE_IN_ATTR)}`);
  }
  return byType;
}

function keysOf(value: Json | undefined): ReadonlySet<string> | undefined {
  const keys = textsOf(value);
  return keys && new Set(keys);
}

function textsOf(value: Json | undefined): string[] | undefined {
  if (value === undefined || !isList(value)) return undefined;
  return value.filter((element) => typeof element === 'string');
}
