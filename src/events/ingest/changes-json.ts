/** Changes of persons as the database function `store_persons` reads them. */
import type { FinalStates, NewState, StateReference } from '../persons/observed-states.ts';
import type { PersonChanges } from '../persons/person-work.ts';

/** `final`: the states that persons have in the end; absent: states are not stored. */
export type StoredChanges = PersonChanges & { states: readonly NewState[]; final?: FinalStates | undefined };

export function isEmpty({ persons, mapped, merges, states }: StoredChanges): boolean {
  return persons.length + mapped.length + merges.length + states.length === 0;
}

/** Properties are JSON text already. */
export function changesJson({ persons, mapped, merges, states, final }: StoredChanges): string {
  const stateOf = (personId: string) => stateJson(final?.byPerson.get(personId));
  const personsJson = persons.map(
    ({ id, properties, isIdentified, createdAt }) =>
      `{"id":"${id}","properties":${properties.text},"is_identified":${isIdentified},"created_at":${createdAt}${stateOf(id)}}`,
  );
  const mappedJson = mapped.map(
    ({ distinctId, personId }) =>
      `{"distinct_id":${JSON.stringify(distinctId)},"person_id":"${personId}"${stateOf(personId)}}`,
  );
  const mergesJson = merges.map(({ from, into }) => `{"from":"${from}","into":"${into}"${stateOf(into)}}`);
  const statesJson = states.map(
    ({ id, properties, isFinal }) => `{"person_id":"${id}","properties":${properties.text},"is_final":${isFinal}}`,
  );
  const firstJson = (final?.first ?? []).map(({ personId, place }) => `{"person_id":"${personId}","place":${place}}`);
  const lists = {
    persons: personsJson,
    mapped: mappedJson,
    merges: mergesJson,
    states: statesJson,
    first_states: firstJson,
  };
  return `{${Object.entries(lists)
    .map(([name, items]) => `"${name}":[${items.join(',')}]`)
    .join(',')}}`;
}

function stateJson(state: StateReference | undefined): string {
  if (!state) return '';
  return 'version' in state ? `,"state":${state.version}` : `,"place":${state.place}`;
}
