/** Values that leave the database hashed, or not at all. */
import { useRef, useState } from 'react';
import { Button } from '../../../look/button.tsx';
import { TextField } from '../../../look/field.tsx';
import { Select } from '../../../look/select.tsx';
import type { Model } from '../destination-types.ts';
import type { Draft, Transformation } from '../draft.ts';
import styles from '../form.module.css';
import { useProblem } from '../problem.ts';

type TransformationsProps = {
  draft: Pick<Draft, 'transformations' | 'hash_key'>;
  set: (change: Partial<Draft>) => void;
  model: Model;
  /** Whether the server has a key for hashes, which stays unless another one is typed. */
  hasKey: boolean;
};

const ACTIONS = [
  { value: 'drop', label: 'Leave it out' },
  { value: 'hash', label: 'Replace it by a hash' },
];

export function Transformations({ draft, set, model, hasKey }: TransformationsProps) {
  const problem = useProblem();
  const { transformations: all, hash_key } = draft;
  const text = problem.under('transformations');
  const refused = all.findIndex((one, index) => isAbout(one, text) || problem.under(`transformations__${index}`));
  const adding = useRef<HTMLButtonElement>(null);
  /** Place of the one that was added last, which gets the focus. */
  const [added, setAdded] = useState<number>();
  const change = (index: number, part: Partial<Transformation>) =>
    set({ transformations: all.map((one, at) => (at === index ? { ...one, ...part } : one)) });
  return (
    <section aria-label="Changed values" className={styles.part}>
      <h3>Changed values</h3>
      {all.length > 0 && (
        <ol className={styles.items}>
          {all.map(({ path, action }, index) => (
            <li key={index} className={styles.item}>
              <div role="group" aria-label={`Changed value ${index + 1}`} className={styles.fields}>
                <TextField
                  label="Column or property"
                  value={path}
                  onChange={(next) => change(index, { path: next })}
                  suggestions={pathsOf(model)}
                  placeholder="properties.$ip"
                  autoFocus={added === index}
                  autoComplete="off"
                  error={refused === index ? text : undefined}
                />
                <Select
                  label="What happens"
                  options={ACTIONS}
                  value={action}
                  onChange={(next) => change(index, { action: next as Transformation['action'] })}
                />
              </div>
              <Button
                kind="quiet"
                aria-label={`Remove changed value ${index + 1}`}
                onPress={() => {
                  setAdded(undefined);
                  set({ transformations: all.filter((_, at) => at !== index) });
                  adding.current?.focus();
                }}
              >
                Remove
              </Button>
            </li>
          ))}
        </ol>
      )}
      {text !== undefined && refused < 0 && (
        <p role="alert" className={styles.error}>
          {text}
        </p>
      )}
      <div>
        <Button
          ref={adding}
          onPress={() => {
            setAdded(all.length);
            set({ transformations: [...all, { path: '', action: 'drop' }] });
          }}
        >
          Leave out or hash a value
        </Button>
      </div>
      {all.some(({ action }) => action === 'hash') && (
        <TextField
          label="Key for hashes"
          type="password"
          autoComplete="new-password"
          value={hash_key}
          onChange={(key) => set({ hash_key: key })}
          placeholder={hasKey ? 'unchanged' : 'generated'}
          description={
            hasKey
              ? 'Another key gives other hashes of the same values. Leave empty to keep the current one.'
              : 'At least 16 characters: the same key gives the same hashes in other exports. Leave empty to have one made.'
          }
          error={problem.at('hash_key')}
        />
      )}
    </section>
  );
}

/** The server names the column, or the path in quotes. */
function isAbout({ path }: Transformation, text: string | undefined): boolean {
  if (text === undefined) return false;
  return text.startsWith(`'${path}' `) || text.includes(`'${path.split('.')[0]}'`);
}

function pathsOf({ columns }: Model): string[] {
  return columns.flatMap(({ name, type }) => (type === 'jsonb' ? [name, `${name}.`] : [name]));
}
