/** Chooses the name under which a person is shown to people. */

/** The first of these properties that a person has is the name. As in PostHog: PERSON_DEFAULT_DISPLAY_NAME_PROPERTIES. */
const NAMES = ['email', 'Email', '$email', 'name', 'Name', 'username', 'Username', 'UserName'];

/** Ids that SDKs generate for visitors who are not identified. */
const GENERATED = /^(?:[a-z0-9]+-){4}[a-z0-9]+$/;

/** @returns a property, else a distinct id (preferably one that is not generated), else the person's id */
export function displayName(person: {
  id: string;
  properties: Readonly<Record<string, unknown>>;
  distinctIds: readonly string[];
}): string {
  const preferredName = NAMES.map((name) => person.properties[name]).find(
    (value) => typeof value === 'string' && value !== '',
  );
  if (typeof preferredName === 'string') return preferredName;
  return person.distinctIds.find((id) => !GENERATED.test(id)) ?? person.distinctIds[0] ?? person.id;
}
