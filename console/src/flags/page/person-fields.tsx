/** The person to decide for: a distinct ID, and properties that count instead of the stored ones. */
import { Button } from '../../look/button.tsx';
import { TextField } from '../../look/field.tsx';
import styles from './who-gets-it.module.css';

export type Property = { key: string; value: string };
export type Person = { distinctId: string; properties: readonly Property[] };
/** Part of a request that says whom to decide for. */
export type Subject = { distinct_id?: string; person_properties?: Record<string, string> };

export const NOBODY: Person = { distinctId: '', properties: [{ key: '', value: '' }] };

const named = ({ properties }: Person) => properties.filter(({ key }) => key !== '');

/** Whether the name is another row's, too: a person has a property once. */
function isTwice(person: Person, { key }: Property): boolean {
  return named(person).filter((one) => one.key === key).length > 1;
}

const nameOf = (label: string, index: number) => (index === 0 ? label : `${label} ${index + 1}`);

export const isValid = (person: Person): boolean => !named(person).some((one) => isTwice(person, one));

export function subjectOf(person: Person): Subject {
  const properties = named(person);
  return {
    ...(person.distinctId !== '' && { distinct_id: person.distinctId }),
    ...(properties.length > 0 && {
      person_properties: Object.fromEntries(properties.map(({ key, value }) => [key, value])),
    }),
  };
}

export function PersonFields({ person, onChange }: { person: Person; onChange: (person: Person) => void }) {
  const { distinctId, properties } = person;
  const setProperties = (next: readonly Property[]) => onChange({ ...person, properties: next });
  const change = (index: number, part: Partial<Property>) =>
    setProperties(properties.map((one, at) => (at === index ? { ...one, ...part } : one)));
  return (
    <>
      <TextField
        label="Distinct ID"
        value={distinctId}
        onChange={(value) => onChange({ ...person, distinctId: value })}
      />
      {properties.map((property, index) => (
        // Rows have no names, so their place identifies them.
        <div key={index} className={styles.property}>
          <TextField
            label={nameOf('Property', index)}
            value={property.key}
            onChange={(key) => change(index, { key })}
            error={isTwice(person, property) ? 'Named twice.' : undefined}
            mono
          />
          <TextField
            label={nameOf('Value', index)}
            value={property.value}
            onChange={(value) => change(index, { value })}
          />
          {index > 0 && (
            <Button
              kind="quiet"
              aria-label={`Remove property ${index + 1}`}
              onPress={() => setProperties(properties.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      <Button kind="quiet" onPress={() => setProperties([...properties, { key: '', value: '' }])}>
        + Property
      </Button>
    </>
  );
}
