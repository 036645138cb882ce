/** Properties by name, each with the type of its value. */
import { Button } from '../../../look/button.tsx';
import { TextField } from '../../../look/field.tsx';
import { Select } from '../../../look/select.tsx';
import { isDuplicate, NO_PROPERTY, problemOf, type Property, type ValueType } from './subject.ts';
import styles from './who-gets-it.module.css';

const TYPES: readonly { value: ValueType; label: string }[] = [
  { value: 'text', label: 'Text' },
  { value: 'number', label: 'Number' },
  { value: 'boolean', label: 'True or false' },
  { value: 'json', label: 'JSON' },
];
const BOOLEANS = ['true', 'false'].map((value) => ({ value, label: value }));

type PropertyRowsProps = {
  /** The group type; absent: properties of the person. */
  groupType?: string;
  properties: readonly Property[];
  onChange: (properties: readonly Property[]) => void;
};

export function PropertyRows({ groupType, properties, onChange }: PropertyRowsProps) {
  const owner = groupType === undefined ? '' : ` of ${groupType}`;
  // A group's fields begin with its type: Company property, Company property type.
  const begin = groupType === undefined ? '' : `${groupType[0]?.toUpperCase()}${groupType.slice(1)} property`;
  const nameOf = (label: string, index: number) => {
    const whole = begin === '' ? label : label === 'Property' ? begin : `${begin} ${label.toLowerCase()}`;
    return `${whole}${index === 0 ? '' : ` ${index + 1}`}`;
  };
  const change = (index: number, part: Partial<Property>) =>
    onChange(properties.map((current, at) => (at === index ? { ...current, ...part } : current)));
  return (
    <>
      {properties.map((property, index) => (
        // Rows have no ids, so their index is the key.
        <div key={index} className={styles.property}>
          <TextField
            label={nameOf('Property', index)}
            value={property.key}
            onChange={(key) => change(index, { key })}
            error={isDuplicate(properties, property) ? 'Named twice.' : undefined}
            mono
          />
          <Select
            label={nameOf('Type', index)}
            options={TYPES}
            value={property.type}
            onChange={(type) => change(index, withType(property, type as ValueType))}
          />
          {property.type === 'boolean' ? (
            <Select
              label={nameOf('Value', index)}
              options={BOOLEANS}
              value={property.text}
              onChange={(text) => change(index, { text })}
            />
          ) : (
            <TextField
              label={nameOf('Value', index)}
              value={property.text}
              onChange={(text) => change(index, { text })}
              error={problemOf(property)}
              mono={property.type === 'json'}
            />
          )}
          {index > 0 && (
            <Button
              kind="quiet"
              aria-label={`Remove property ${index + 1}${owner}`}
              onPress={() => onChange(properties.filter((_, at) => at !== index))}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      <Button kind="quiet" onPress={() => onChange([...properties, NO_PROPERTY])}>
        + Property{owner}
      </Button>
    </>
  );
}

function withType({ text }: Property, type: ValueType): Partial<Property> {
  return { type, ...(type === 'boolean' && text !== 'false' && { text: 'true' }) };
}
