/** Converts OpenFeature's evaluation context into a request to decide. */
import type { Body } from '../decide/read-request.ts';
import { isList, JsonFloat, type Json, type Properties } from '../../conditions/operators/json-values.ts';
import { refusal, type Refusal } from './refusal.ts';

/**
 * `targetingKey` is the distinct id; `groups` (keys by type) and `group_properties` (properties by type) are reserved names; all other
 * fields are properties of the person.
 *
 * @param body of the request; one without a `context` is refused with `TARGETING_KEY_MISSING`
 * @returns the body of an equivalent request to decide
 */
export function readContext(body: Json): Body | Refusal {
  if (!isObject(body)) return refusal('PARSE_ERROR', 'The body must be a JSON object.');
  const { context = {} } = body;
  if (!isObject(context)) return refusal('INVALID_CONTEXT', 'The context must be an object.');
  const { targetingKey = '', groups = {}, group_properties: groupProperties = {}, ...personProperties } = context;
  if (targetingKey === '' || targetingKey === null) {
    return refusal('TARGETING_KEY_MISSING', 'The context needs a `targetingKey`: the distinct id of a person.');
  }
  if (typeof targetingKey !== 'string') return refusal('INVALID_CONTEXT', '`targetingKey` must be a string.');
  if (!isObject(groups) || !Object.values(groups).every(isKey)) {
    return refusal('INVALID_CONTEXT', '`groups` must be an object that maps group types to group keys.');
  }
  if (!isObject(groupProperties) || !Object.values(groupProperties).every(isObject)) {
    return refusal('INVALID_CONTEXT', '`group_properties` must be an object of objects, by the types of groups.');
  }
  return {
    distinct_id: targetingKey,
    person_properties: personProperties,
    groups,
    group_properties: groupProperties,
  };
}

function isKey(value: Json): boolean {
  return ['string', 'number', 'bigint'].includes(typeof value) || value instanceof JsonFloat;
}

function isObject(value: Json): value is Properties {
  return typeof value === 'object' && value !== null && !isList(value) && !(value instanceof JsonFloat);
}
