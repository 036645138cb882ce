import { Checkbox } from '../../look/edits/checkbox.tsx';
import styles from '../settings.module.css';
import { EVERYTHING, OBJECT_WORDS, SCOPE_OBJECTS, withReading, withWriting } from './scopes.ts';

type ScopeFieldsProps = {
  scopes: readonly string[];
  onChange: (scopes: readonly string[]) => void;
  error?: string | undefined;
};

/** Scopes of a key: everything, or reading and writing of each kind of object. */
export function ScopeFields({ scopes, onChange, error }: ScopeFieldsProps) {
  const isAll = scopes.includes(EVERYTHING);
  return (
    <fieldset className={styles.form}>
      <legend>Scopes</legend>
      <Checkbox isSelected={isAll} onChange={(isOn) => onChange(isOn ? [EVERYTHING] : [])}>
        All scopes: everything that the owner may do, now and later
      </Checkbox>
      {!isAll && (
        <div className={styles.scopes} role="group" aria-label="Scopes by object">
          <table>
            <thead>
              <tr>
                <th>Object</th>
                <th>Read</th>
                <th>Write</th>
              </tr>
            </thead>
            <tbody>
              {SCOPE_OBJECTS.map((object) => {
                const [words, isWritable] = OBJECT_WORDS[object];
                const isWriting = scopes.includes(`${object}:write`);
                return (
                  <tr key={object}>
                    <td>
                      {words} <code className="quiet">{object}</code>
                    </td>
                    <td>
                      <Tick
                        label={`Read ${words}`}
                        isOn={isWriting || scopes.includes(`${object}:read`)}
                        onChange={(isOn) => onChange(withReading(scopes, object, isOn))}
                      />
                    </td>
                    <td>
                      {isWritable && (
                        <Tick
                          label={`Write ${words}`}
                          isOn={isWriting}
                          onChange={(isOn) => onChange(withWriting(scopes, object, isOn))}
                        />
                      )}
                    </td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

type TickProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void };

function Tick({ label, isOn, onChange }: TickProps) {
  return (
    <Checkbox isSelected={isOn} onChange={onChange}>
      <span className="visually-hidden">{label}</span>
    </Checkbox>
  );
}
