/** Series of trends and steps of funnels. */
import type { FilterBudget } from '../../../conditions/sql/filters.ts';
import { filterTreeOf } from './filter-tree.ts';
import type { PropertyOwner, Series } from './parsed.ts';
import { refusal } from './refusal.ts';
import { PROPERTY_MATHS, type EventsNode } from './schema.ts';

/** Owners by the name that upstream's interface gives their properties. */
const OWNERS: ReadonlyMap<string, PropertyOwner> = new Map([
  ['event_properties', 'event'],
  ['numerical_event_properties', 'event'],
  ['person_properties', 'person'],
]);

/** @param budget shared by all filters of the query @throws InvalidInput for invalid filters, and for a missing property that `math` needs */
export function seriesOf(node: EventsNode, index: number, budget: FilterBudget): Series {
  const path = `series[${index}]`;
  const math = node.math ?? 'total';
  return {
    event: node.event ?? null,
    name: node.name ?? null,
    customName: node.custom_name ?? null,
    filters: {
      every: [
        filterTreeOf(node.properties, `${path}.properties`, budget),
        filterTreeOf(node.fixedProperties, `${path}.fixedProperties`, budget),
      ],
    },
    math,
    property: PROPERTY_MATHS.some((candidate) => candidate === math) ? propertyOf(node, path) : null,
  };
}

function propertyOf(node: EventsNode, path: string): Series['property'] {
  const { math, math_property: name, math_property_type: type } = node;
  if (name === null || name === undefined) {
    throw refusal(`${path}.math_property`, `"${math}" aggregates a numeric property: name it.`, 'required');
  }
  const owner = OWNERS.get(type ?? 'event_properties');
  if (owner !== undefined) return { name, of: owner };
  const fix = 'Use "event_properties" or "person_properties".';
  throw refusal(`${path}.math_property_type`, `This type of property is not supported. ${fix}`, 'not_supported');
}

/** Name of a series that has no name of its own. */
export function nameOf({ customName, event, name }: Series): string {
  return customName ?? event ?? name ?? 'All events';
}
