/** Parts that all destinations have in common beside the contract. */
import { nullable, Type } from '../../platform/schema.ts';
import type { Destination } from './contract.ts';

const EventNames = nullable(Type.Array(Type.String(), { maxItems: 1000 }));

/** Fields of every configuration: which events leave. An event that both lists name does not. */
const EVENT_LISTS = {
  include_events: Type.Optional({ ...EventNames, title: 'Included events' }),
  exclude_events: Type.Optional({ ...EventNames, title: 'Excluded events' }),
};

/** Gives `config` its precise type inside the definition while the registry holds plain `Destination`s. */
export function defineDestination<Config>(definition: Destination<Config>): Destination {
  const config = Type.Object({ ...definition.config.properties, ...EVENT_LISTS }, { additionalProperties: false });
  return { ...definition, config };
}
